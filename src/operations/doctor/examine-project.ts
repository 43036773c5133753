import { type Check, look, skipped, smallEngine } from '../../core/duckdb/check.ts';
import { packageVersion } from '../../core/host/package-version.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import { loadPipelines } from '../../project/settings/pipelines.ts';
import { loadSchedules, type Schedule } from '../../project/settings/schedules.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { loadModels } from '../../project/sql/models/load-models.ts';
import { sqlFolders } from '../../project/sql/models/sql-folders.ts';
import { examineSegments } from './examine-segments.ts';

/** Versions and the files of a project folder; with the schedules, as far as they can be read. */
export async function examineProject(
  projectDir: string,
  settings: Settings | undefined,
  signal: AbortSignal,
): Promise<{ readonly checks: readonly Check[]; readonly schedules: readonly Schedule[] }> {
  let pipelines: readonly Pipeline[] = [];
  let schedules: readonly Schedule[] = [];
  const checks: Check[] = [
    await look('versions', versions, signal),
    await look(
      'pipelines',
      async () => {
        pipelines = await loadPipelines(projectDir);
        return { message: `${pipelines.length} in pipelines/` };
      },
      signal,
    ),
    await look(
      'schedules',
      async () => {
        const datasets = pipelines.map(({ dataset }) => dataset);
        schedules = await loadSchedules(projectDir, datasets);
        return { message: `${schedules.length} in schedules.yaml` };
      },
      signal,
    ),
    await examineSegments(projectDir, settings, signal),
  ];
  // The models are made of the segments too, and would say the same.
  const isBroken = checks.at(-1)?.status === 'fail';
  const inUse = async () => {
    const models = await loadModels(sqlFolders({ shipped_models: 'all', ...settings, projectDir }));
    return { message: `${models.length} in use` };
  };
  checks.push(...(isBroken ? skipped(['models'], 'segments fails') : [await look('models', inUse, signal)]));
  return { checks, schedules };
}

async function versions() {
  const version = await packageVersion();
  await using database = await smallEngine();
  using connection = await database.connect();
  const duckdb = await connection.scalar('SELECT version()');
  return { message: `crawlhouse ${version}, Node ${process.version}, DuckDB ${duckdb}` };
}
