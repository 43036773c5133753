import type { ServiceClient } from '../../../../client/http/service-client.ts';
import { CRAWL_DATA_TYPES } from '../../../../client/resources/fields.ts';
import { keptRecord } from '../../../../client/resources/kept-record.ts';
import type { Download, DownloadFacts, Part } from '../../../project/model/download.ts';
import { contentOf } from '../../../project/model/included-keys.ts';
import {
  type Inventory,
  type ListName,
  listReadings,
  type WorkspaceView,
} from '../../../project/model/inventory.ts';
import { listRequest, type ResourceName } from '../../../project/model/resource-names.ts';
import type { Task } from '../../../project/model/task.ts';
import { declaredFields } from '../describe-rows.ts';
import { writeRecords } from '../download/write-records.ts';
import type { RouteKind } from '../route.ts';

type ResourceRecord = Readonly<Record<string, unknown>>;

interface Records {
  readonly items: readonly ResourceRecord[];
  /** The service's total; null for lists without one. */
  readonly total: number | null;
  /** Set if only the new records of a list were read. */
  readonly update?: Download['update'];
}

/** Lists that discovery has read already. */
const READ_BY_DISCOVERY: readonly string[] = ['projects', 'crawls', 'crawl_over_crawls'];

/** A list of resources, or the fields of a crawl, as rows. */
export const LIST_ROUTE: RouteKind = {
  reason: 'resources come as lists',
  isOnly: true,
  formats: ({ kind, data_type }) =>
    kind === 'resource' || (kind === 'crawl' && data_type === 'fields') ? ['json'] : [],
  suits: () => true,
  requests: ({ kind, data_type }) =>
    kind === 'crawl' ? CRAWL_DATA_TYPES.length : READ_BY_DISCOVERY.includes(data_type) ? 0 : 1,
  async open({ client, inventory, signal }, { task: { unit, pipeline }, folder }) {
    const { items, total, update } =
      pipeline.source.kind === 'crawl'
        ? await crawlFields(client, unit.source.id, signal)
        : await records(client, pipeline.source.data_type as ResourceName, unit.source.id, inventory, signal);
    return {
      reported: total,
      fields: declaredFields(pipeline.columns),
      filter: null,
      parts: extractResource(pipeline.dataset, items, folder, (item) => contentOf(item, pipeline)),
      ...(update ? { update } : {}),
    };
  },
};

async function records(
  client: ServiceClient,
  name: ResourceName,
  id: string,
  { workspaces }: Inventory,
  signal: AbortSignal,
): Promise<Records> {
  const workspace = workspaces.find((own) => own.id === id);
  const none: Records = { items: [], total: 0 };
  switch (name) {
    case 'workspaces':
      return { items: workspace ? [workspace.record] : [], total: null };
    case 'projects':
      return workspace?.projects ?? none;
    case 'crawls':
    case 'crawl_over_crawls':
    case 'data_exports':
      return (workspace && listedRecords(workspace, name)) ?? none;
    case 'crawl_configs':
      return { items: await client.call('crawlConfigs', { project_id: id }, signal), total: null };
    default: {
      const { operation, request } = listRequest(name, id);
      return client.all(operation, request, signal);
    }
  }
}

/** Returns whether the inventory shows that a list has not changed. */
export function isListUnchanged({ unit, pipeline }: Task, { workspaces }: Inventory): boolean {
  const workspace = pipeline.source.kind === 'resource' && workspaces.find(({ id }) => id === unit.source.id);
  if (!workspace) return false;
  const reading = listReadings(workspace).find(([list]) => list === pipeline.source.data_type)?.[1];
  return (
    reading !== undefined && !reading.isSwept && reading.changed.length === 0 && reading.gone.length === 0
  );
}

/** Returns the changed records of a list that was not read completely. The others are unchanged. */
function listedRecords(workspace: WorkspaceView, name: ListName): Records | undefined {
  const reading = listReadings(workspace).find(([list]) => list === name)?.[1];
  if (!reading) return undefined;
  const records = reading.records as ReadonlyMap<string, ResourceRecord>;
  if (reading.isSwept) return { items: [...records.values()], total: reading.total };
  const items = reading.changed.flatMap(({ id }) => {
    const record = records.get(id);
    return record ? [record] : [];
  });
  const unchanged = reading.items.length - items.length;
  return { items, total: reading.total, update: { gone: reading.gone, unchanged } };
}

/** Returns the fields of a crawl's data types, each with its data type. */
async function crawlFields(client: ServiceClient, crawlId: string, signal: AbortSignal): Promise<Records> {
  const items: ResourceRecord[] = [];
  for (const data_type of CRAWL_DATA_TYPES) {
    const fields = await client.fields({ kind: 'crawl', id: crawlId, dataType: data_type }, signal);
    items.push(...fields.map((field) => ({ data_type, ...field })));
  }
  return { items, total: null };
}

/**
 * Writes the records of a resource list to disk as JSONL, like an export. `keep` selects the content of each
 * (`keptRecord`).
 */
export function extractResource(
  name: string,
  records: readonly ResourceRecord[],
  folder: string,
  keep: (record: ResourceRecord) => ResourceRecord = (record) => keptRecord(name, record),
): AsyncGenerator<Part, DownloadFacts> {
  const batches = async function* (): AsyncGenerator<readonly ResourceRecord[]> {
    yield records.map(keep);
  };
  return writeRecords(batches(), `${name}.jsonl`, folder);
}
