import type { ServiceClient } from '../api/client.ts';
import { LIST_DATA_EXPORTS } from '../api/data-exports.ts';
import { CRAWL_DATA_TYPES } from '../api/fields.ts';
import { LIST_INGEST_FILES } from '../api/ingest-files.ts';
import { LIST_SCHEDULED_CRAWLS } from '../api/scheduled-crawls.ts';
import type { Landscape } from '../discover/discover.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import type { ResourceName } from '../discover/resources.ts';
import { extractResource, type ResourceRecord } from '../extract/extract-resource.ts';
import { declaredFields, includedKeys } from './requested-fields.ts';
import type { Source } from './source.ts';

interface Records {
  readonly items: readonly ResourceRecord[];
  /** The service's own total; null for lists that come without. */
  readonly total: number | null;
}

/** Opens a list of resources, or the fields of a crawl, as rows. */
export async function openList(
  client: ServiceClient,
  { unit, pipeline }: PlannedUnit,
  landscape: Landscape,
  folder: string,
  signal: AbortSignal,
): Promise<Source> {
  const { items, total } =
    pipeline.source.kind === 'crawl'
      ? await crawlFields(client, unit.source.id, signal)
      : await records(client, pipeline.source.data_type as ResourceName, unit.source.id, landscape, signal);
  const kept = items.map((item) => includedKeys(item, pipeline.fields));
  return {
    reported: total,
    catalogue: declaredFields(pipeline.columns),
    filter: null,
    parts: extractResource(pipeline.dataset, kept, folder),
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
      return { items: [await client.workspace(id, signal)], total: null };
    case 'projects':
      return workspace?.projects ?? none;
    case 'crawls':
      return workspace?.crawls ?? none;
    case 'crawl_over_crawls':
      return workspace?.crawlOverCrawls ?? none;
    case 'data_exports':
      return client.all(LIST_DATA_EXPORTS, (page) => page.account, { workspace_id: id }, signal);
    case 'crawl_configs':
      return { items: await client.crawlConfigs(id, signal), total: null };
    case 'scheduled_crawls':
      return client.all(LIST_SCHEDULED_CRAWLS, (page) => page.scheduled_crawls, { project_id: id }, signal);
    case 'ingest_files':
      return client.all(LIST_INGEST_FILES, (page) => page.user_files, { project_id: id }, signal);
  }
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
