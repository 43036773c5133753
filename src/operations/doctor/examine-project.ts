import { type Check, type Finding, look, skipped, smallEngine } from '../../core/duckdb/check.ts';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import { packageVersion } from '../../core/host/package-version.ts';
import type { QuestionSettings } from '../../pipeline/transform/questions/compile-questions.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import { loadPipelines } from '../../project/settings/pipelines.ts';
import { loadSchedules, type Schedule } from '../../project/settings/schedules.ts';
import { loadSegmentations, type Segmentation } from '../../project/settings/segments.ts';
import { loadModels } from '../../project/sql/models/load-models.ts';
import { sqlFolders } from '../../project/sql/models/sql-folders.ts';
import { checkSegments } from '../../project/sql/plan/check-segments.ts';
import { tableColumns } from '../../state/catalogue/catalog.ts';
import { readPublished } from '../../state/catalogue/published/read-published.ts';
import { unknownSegmentProjects } from '../../state/catalogue/unknown-settings.ts';

const SERVICE_FIELD = 'page_group_';

/** Versions and the files of a project folder; with the schedules, as far as they can be read. */
export async function examineProject(
  projectDir: string,
  settings: QuestionSettings | undefined,
  signal: AbortSignal,
): Promise<{ readonly checks: readonly Check[]; readonly schedules: readonly Schedule[] }> {
  let pipelines: readonly Pipeline[] = [];
  let schedules: readonly Schedule[] = [];
  const checks: Check[] = [
    await look('versions', signal, versions),
    await look('pipelines', signal, async () => {
      pipelines = await loadPipelines(projectDir);
      return { message: `${pipelines.length} in pipelines/` };
    }),
    await look('schedules', signal, async () => {
      const datasets = pipelines.map(({ dataset }) => dataset);
      schedules = await loadSchedules(projectDir, datasets);
      return { message: `${schedules.length} in schedules.yaml` };
    }),
    await examineSegments(projectDir, settings, signal),
  ];
  // The models are made of the segments too, and would say the same.
  const isBroken = checks.at(-1)?.status === 'fail';
  const inUse = async () => {
    const models = await loadModels(sqlFolders({ shipped_models: 'all', ...settings, projectDir }));
    return { message: `${models.length} in use` };
  };
  checks.push(...(isBroken ? skipped(['models'], 'segments fails') : [await look('models', signal, inUse)]));
  return { checks, schedules };
}

async function versions() {
  const version = await packageVersion();
  await using database = await smallEngine();
  using connection = await database.connect();
  const duckdb = await connection.scalar('SELECT version()');
  return { message: `crawlhouse ${version}, Node ${process.version}, DuckDB ${duckdb}` };
}

/** Whether segments.yaml holds, and fits the published warehouse. Without settings, the file alone is looked at. */
async function examineSegments(
  projectDir: string,
  settings: QuestionSettings | undefined,
  signal: AbortSignal,
): Promise<Check> {
  return await look('segments', signal, async () => {
    const segmentations = await loadSegmentations(projectDir);
    if (segmentations.length === 0) return { message: 'no segmentation in segments.yaml' };
    const count = `${segmentations.length} in segments.yaml`;
    const found =
      settings && (await readPublished(settings, (connection) => compare(connection, segmentations, signal)));
    return found ?? { message: `${count}; nothing published yet` };
  });
}

async function compare(
  connection: Connection,
  segmentations: readonly Segmentation[],
  signal: AbortSignal,
): Promise<Finding | undefined> {
  const tables = await tableColumns(connection, ['raw', 'mart']);
  const columns = tables.get('mart.pages');
  if (columns === undefined) return undefined;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  await checkSegments(connection, segmentations, types);
  const [unknown] = await unknownSegmentProjects(connection, segmentations, signal);
  if (unknown !== undefined) return unknown;
  const fields = (tables.get('raw.crawl_pages') ?? []).map(({ name }) => name);
  const replaced = segmentations.filter(({ name }) => fields.includes(`${SERVICE_FIELD}${name}`));
  const names = [...new Set(replaced.map(({ name }) => name))].join(', ');
  const inPlace = names === '' ? '' : `; in the place of the service's own: ${names}`;
  return { message: `${segmentations.length} in segments.yaml${inPlace}` };
}
