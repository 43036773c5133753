import type { ServiceClient } from '../api/client.ts';
import { CRAWL_DATA_TYPES } from '../api/fields.ts';
import { LIST_INGEST_FILES } from '../api/ingest-files.ts';
import { LIST_SCHEDULED_CRAWLS } from '../api/scheduled-crawls.ts';
import { type Landscape, listReadings, type WorkspaceView } from '../discover/discover.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import type { ResourceName } from '../discover/resources.ts';
import { extractResource, type ResourceRecord } from '../extract/extract-resource.ts';
import { includedKeys } from '../model/included-keys.ts';
import type { ListName } from '../model/listed.ts';
import { declaredFields } from './requested-fields.ts';
import type { Source } from './source.ts';

interface Records {
  readonly items: readonly ResourceRecord[];
  /** The service's own total; null for lists that come without. */
  readonly total: number | null;
  /** Where only what is new of a list was read. */
  readonly update?: Source['update'];
}

/** Opens a list of resources, or the fields of a crawl, as rows. */
export async function openList(
  client: ServiceClient,
  { unit, pipeline }: PlannedUnit,
  landscape: Landscape,
  folder: string,
  signal: AbortSignal,
): Promise<Source> {
  const { items, total, update } =
    pipeline.source.kind === 'crawl'
      ? await crawlFields(client, unit.source.id, signal)
      : await records(client, pipeline.source.data_type as ResourceName, unit.source.id, landscape, signal);
  const kept = items.map((item) => includedKeys(item, pipeline.fields));
  return {
    reported: total,
    catalogue: declaredFields(pipeline.columns),
    filter: null,
    parts: extractResource(pipeline.dataset, kept, folder),
    ...(update ? { update } : {}),
  };
}

async function records(
  client: ServiceClient,
  name: ResourceName,
  id: string,
  { workspaces }: Landscape,
  signal: AbortSignal,
): Promise<Records> {
  const workspace = workspaces.find((one) => one.id === id);
  const none: Records = { items: [], total: 0 };
  switch (name) {
    case 'workspaces':
      return { items: workspace ? [workspace.record] : [], total: null };
    case 'projects':
      return workspace?.projects ?? none;
    case 'crawls':
    case 'crawl_over_crawls':
    case 'data_exports':
      return (workspace && news(workspace, name)) ?? none;
    case 'crawl_configs':
      return { items: await client.crawlConfigs(id, signal), total: null };
    case 'scheduled_crawls':
      return client.all(LIST_SCHEDULED_CRAWLS, (page) => page.scheduled_crawls, { project_id: id }, signal);
    case 'ingest_files':
      return client.all(LIST_INGEST_FILES, (page) => page.user_files, { project_id: id }, signal);
  }
}

/** Is this a list of which a reading has shown that it is as it was? */
export function standsStill({ unit, pipeline }: PlannedUnit, { workspaces }: Landscape): boolean {
  const workspace = pipeline.source.kind === 'resource' && workspaces.find(({ id }) => id === unit.source.id);
  if (!workspace) return false;
  const found = listReadings(workspace).find(([list]) => list === pipeline.source.data_type)?.[1];
  return found !== undefined && !found.isSwept && found.changed.length === 0 && found.gone.length === 0;
}

/** Of a list that was not read to its end, the records that changed; the others stand as they are. */
function news(workspace: WorkspaceView, name: ListName): Records | undefined {
  const found = listReadings(workspace).find(([list]) => list === name)?.[1];
  if (!found) return undefined;
  const records = found.records as ReadonlyMap<string, ResourceRecord>;
  if (found.isSwept) return { items: [...records.values()], total: found.total };
  const items = found.changed.flatMap(({ id }) => {
    const record = records.get(id);
    return record ? [record] : [];
  });
  const standing = found.items.length - items.length;
  return { items, total: found.total, update: { gone: found.gone, standing } };
}

/** The catalogues of a crawl's data types, each field with the data type it is of. */
async function crawlFields(client: ServiceClient, crawlId: string, signal: AbortSignal): Promise<Records> {
  const items: ResourceRecord[] = [];
  for (const data_type of CRAWL_DATA_TYPES) {
    const fields = await client.crawlFields(crawlId, data_type, signal);
    items.push(...fields.map((field) => ({ data_type, ...field })));
  }
  return { items, total: null };
}
