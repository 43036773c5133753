import { type Check, type Finding, look } from '../../core/duckdb/check.ts';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import { loadSegmentations, type Segmentation } from '../../project/settings/segments.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { checkSegments } from '../../project/sql/plan/check-segments.ts';
import { tableColumns } from '../../state/catalogue/catalog.ts';
import { readPublished } from '../../state/catalogue/read-published.ts';
import { unknownSegmentProjects } from '../../state/catalogue/unknown-segment-projects.ts';

const SERVICE_FIELD = 'page_group_';

/** Whether segments.yaml holds, and fits the published warehouse. Without settings, the file alone is looked at. */
export async function examineSegments(
  projectDir: string,
  settings: Settings | undefined,
  signal: AbortSignal,
): Promise<Check> {
  return await look(
    'segments',
    async () => {
      const segmentations = await loadSegmentations(projectDir);
      if (segmentations.length === 0) return { message: 'no segmentation in segments.yaml' };
      const count = `${segmentations.length} in segments.yaml`;
      const found =
        settings &&
        (await readPublished(settings, (connection) => compare(connection, segmentations, signal)));
      return found ?? { message: `${count}; nothing published yet` };
    },
    signal,
  );
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
