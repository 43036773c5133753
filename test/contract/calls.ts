import type { OperationId } from '../../src/client/endpoints.ts';
import type { ServiceClient } from '../../src/client/http/service-client.ts';
import type { StreamedResponse } from '../../src/client/http/transport.ts';
import { fileForm } from '../../src/client/resources/ingest-files.ts';
import {
  type Inventory,
  launched,
  someConfig,
  someExport,
  someFile,
  someSecret,
  uploaded,
} from './inventory.ts';

/** A right call of an operation: what it needs is made ready first, so that the call is one request. */
export interface ContractCall<T = unknown> {
  readonly ready: (it: Inventory) => Promise<T> | T;
  readonly call: (client: ServiceClient, it: Inventory, ready: T) => Promise<unknown>;
}

function calls<T>(
  ready: (it: Inventory) => Promise<T> | T,
  call: (client: ServiceClient, it: Inventory, ready: T) => Promise<unknown>,
): ContractCall {
  return { ready, call } as ContractCall;
}

/** A call that needs nothing but what is there. */
function reads(call: (client: ServiceClient, it: Inventory) => Promise<unknown>): ContractCall {
  return { ready: () => undefined, call };
}

/** The first page of a list, with everything that a page query may have. */
const PAGE = { offset: 0, limit: 2 } as const;
const COUNT = { aggs: [{}] };
const DATES = { field: ['date', 'has_value', ''] } as const;

async function first<T>(list: AsyncGenerator<T>): Promise<T | undefined> {
  for await (const item of list) return item;
  return undefined;
}

async function text(export_: Promise<StreamedResponse>): Promise<string> {
  return Buffer.concat(await Array.fromAsync((await export_).body)).toString();
}

/** One right call of each operation by the client. */
export const CALLS: Readonly<Record<OperationId, ContractCall>> = {
  crawlFields: reads((client, it) => client.fields({ kind: 'crawl', id: it.crawls[0], dataType: 'pages' })),
  logMetadata: reads((client, it) =>
    client.call('logMetadata', { project_id: it.project, data_type: 'events' }),
  ),
  searchCrawl: reads((client, it) =>
    client.search(
      { kind: 'crawl', id: it.crawls[0], dataType: 'pages' },
      {
        fields: ['url', 'status_code'],
        oql: {
          and: [{ field: ['url', 'startswith', 'HTTP', { ci: true }] }, { field: ['depth', 'gte', 0] }],
        },
        sort: [{ field: 'url', order: 'asc' }],
        limit: 3,
        offset: 1,
      },
    ),
  ),
  searchCrawlOverCrawl: reads((client, it) =>
    client.search({ kind: 'crawl_over_crawl', id: it.comparison }, { limit: 3 }),
  ),
  searchLogEvents: reads((client, it) =>
    client.search({ kind: 'log_events', projectId: it.project }, { limit: 3 }),
  ),
  searchLogPages: reads((client, it) =>
    client.search({ kind: 'log_pages', projectId: it.project, granularity: 'weeks' }, { limit: 3 }),
  ),
  aggregateCrawl: reads((client, it) =>
    client.aggregate(
      { kind: 'crawl', id: it.crawls[0], dataType: 'pages' },
      {
        aggs: [
          { fields: [{ name: 'depth', ranges: [{ name: 'near', to: 3 }] }], value: 'load_time:avg' },
          { fields: [{ name: 'status_code' }], oql: { field: ['fetched', 'equals', true] } },
        ],
      },
    ),
  ),
  aggregateCrawlOverCrawl: reads((client, it) =>
    client.aggregate({ kind: 'crawl_over_crawl', id: it.comparison }, COUNT),
  ),
  aggregateLogEvents: reads((client, it) =>
    client.aggregate({ kind: 'log_events', projectId: it.project }, COUNT),
  ),
  aggregateLogPages: reads((client, it) =>
    client.aggregate({ kind: 'log_pages', projectId: it.project, granularity: 'months' }, COUNT),
  ),
  exportCrawl: reads((client, it) =>
    text(
      client.export(
        { kind: 'crawl', id: it.crawls[0], dataType: 'links' },
        {},
        { fileType: 'csv', gzip: false },
      ),
    ),
  ),
  exportCrawlOverCrawl: reads((client, it) =>
    text(
      client.export({ kind: 'crawl_over_crawl', id: it.comparison }, {}, { fileType: 'json', gzip: false }),
    ),
  ),
  exportLogEvents: reads((client, it) =>
    text(client.export({ kind: 'log_events', projectId: it.project }, {}, { fileType: 'json', gzip: false })),
  ),
  exportLogPages: reads((client, it) =>
    text(
      client.export(
        { kind: 'log_pages', projectId: it.project, granularity: 'days' },
        {},
        { fileType: 'csv', gzip: false },
      ),
    ),
  ),

  rankingFields: reads((client, it) => client.call('rankingFields', { project_id: it.project })),
  aggregateRanking: reads((client, it) =>
    client.call('aggregateRanking', {
      project_id: it.project,
      body: {
        aggs: [
          {
            fields: ['query', { name: 'device' }],
            oql: DATES,
            value: [{ field: 'clicks', method: 'sum', alias: 'all_clicks' }],
            sort: { field: 'all_clicks', order: 'desc' },
            post_aggs_oql: { field: ['all_clicks', 'gte', 0] },
            limit: 5,
          },
        ],
      },
    }),
  ),
  exportRanking: reads((client, it) =>
    client.call('exportRanking', {
      project_id: it.project,
      body: {
        request: { fields: ['query'], oql: DATES },
        output_format: 'csv',
        output_format_parameters: { csv_delimiter: ';' },
      },
    }),
  ),

  projects: reads((client, it) =>
    first(
      client.list('projects', {
        workspace_id: it.workspace,
        query: {
          ...PAGE,
          sort: { name: 'name', order: 'desc' },
          filters: { field: ['name', 'has_value', ''] },
        },
      }),
    ),
  ),
  project: reads((client, it) => client.call('project', { project_id: it.project })),
  createProject: calls(
    (it) => it.name(),
    (client, _it, name) =>
      client.call('createProject', { body: { project: { name, start_url: 'https://www.example.com/' } } }),
  ),
  deleteProject: calls(
    (it) =>
      it.client.call('createProject', {
        body: { project: { name: it.name(), start_url: 'https://www.example.com/' } },
      }),
    (client, _it, { id }) => client.call('deleteProject', { project_id: id }),
  ),

  scheduledCrawls: reads((client, it) =>
    first(client.list('scheduledCrawls', { project_id: it.project, query: PAGE })),
  ),
  createScheduledCrawl: reads((client, it) =>
    client.call('createScheduledCrawl', {
      project_id: it.project,
      body: {
        scheduled_crawl: { config_id: it.config, recurrence: 'month', start_date: Date.now() + 86_400_000 },
      },
    }),
  ),
  deleteScheduledCrawl: calls(
    (it) =>
      it.client.call('createScheduledCrawl', {
        project_id: it.project,
        body: { scheduled_crawl: { config_id: it.config, start_date: Date.now() + 86_400_000 } },
      }),
    (client, it, { id }) =>
      client.call('deleteScheduledCrawl', { project_id: it.project, scheduled_crawl_id: id }),
  ),

  launchCrawl: calls(
    (it) =>
      it.client.call('createCrawlConfig', { project_id: it.project, body: { crawl_config: someConfig(it) } }),
    (client, it, { id }) => client.call('launchCrawl', { project_id: it.project, query: { configId: id } }),
  ),
  crawls: reads((client, it) =>
    first(
      client.list('crawls', {
        workspace_id: it.workspace,
        query: {
          ...PAGE,
          sort: { name: 'created_at', order: 'desc' },
          filters: { field: ['status', 'equals', 'done'] },
        },
      }),
    ),
  ),
  crawl: reads((client, it) => client.call('crawl', { crawl_id: it.crawls[0] })),
  crawlProgress: reads((client, it) => client.call('crawlProgress', { crawl_id: it.crawls[0] })),
  pilotCrawl: calls(launched, (client, _it, { crawl }) =>
    client.call('pilotCrawl', { crawl_id: crawl, body: { command: 'pause' } }),
  ),
  deleteCrawl: calls(
    async (it) => {
      const { crawl } = await launched(it);
      await it.client.call('pilotCrawl', { crawl_id: crawl, body: { command: 'cancel' } });
      await it.service.ask(`/_sandbox/crawls/${crawl}`, { method: 'PATCH', body: { status: 'cancelled' } });
      return crawl;
    },
    (client, _it, crawl) => client.call('deleteCrawl', { crawl_id: crawl }),
  ),

  launchCrawlOverCrawl: reads((client, it) =>
    client.call('launchCrawlOverCrawl', {
      project_id: it.project,
      query: { crawl1: it.crawls[0], crawl2: it.crawls[1] },
      body: {
        configuration: {
          name: 'moved',
          url_transformations: {
            type: 'replace_prefix',
            crawl_to_transform: 1,
            config: { find: 'http://', replace: 'https://' },
          },
        },
      },
    }),
  ),
  crawlOverCrawls: reads((client, it) =>
    first(
      client.list('crawlOverCrawls', {
        workspace_id: it.workspace,
        query: {
          ...PAGE,
          sort: { name: 'created_at', order: 'asc' },
          filters: { field: ['project_id', 'equals', it.project] },
        },
      }),
    ),
  ),
  crawlOverCrawl: reads((client, it) =>
    client.call('crawlOverCrawl', { crawl_over_crawl_id: it.comparison }),
  ),
  deleteCrawlOverCrawl: calls(
    (it) =>
      it.client.call('launchCrawlOverCrawl', {
        project_id: it.project,
        query: { crawl1: it.crawls[0], crawl2: it.crawls[1] },
      }),
    (client, _it, { id }) => client.call('deleteCrawlOverCrawl', { crawl_over_crawl_id: id }),
  ),

  crawlConfigs: reads((client, it) => client.call('crawlConfigs', { project_id: it.project })),
  crawlConfig: reads((client, it) =>
    client.call('crawlConfig', { project_id: it.project, crawl_config_id: it.config }),
  ),
  createCrawlConfig: calls(someConfig, (client, it, config) =>
    client.call('createCrawlConfig', { project_id: it.project, body: { crawl_config: config } }),
  ),
  updateCrawlConfig: calls(
    async (it) => {
      const config = someConfig(it);
      await it.client.call('createCrawlConfig', { project_id: it.project, body: { crawl_config: config } });
      return { ...config, max_depth: 3 };
    },
    (client, it, config) =>
      client.call('updateCrawlConfig', { project_id: it.project, body: { crawl_config: config } }),
  ),
  deleteCrawlConfig: calls(
    (it) =>
      it.client.call('createCrawlConfig', { project_id: it.project, body: { crawl_config: someConfig(it) } }),
    (client, it, { id }) => client.call('deleteCrawlConfig', { project_id: it.project, crawl_config_id: id }),
  ),
  validateCustomWebhook: reads((client, it) =>
    client.call('validateCustomWebhook', {
      project_id: it.project,
      body: { url: it.webhook, secret: 'eight or more' },
    }),
  ),

  ingestFiles: reads((client, it) =>
    first(
      client.list('ingestFiles', {
        project_id: it.project,
        query: {
          ...PAGE,
          sort: { name: 'name', order: 'asc' },
          filters: { field: ['kind', 'has_value', ''] },
        },
      }),
    ),
  ),
  ingestFile: calls(uploaded, (client, it, id) =>
    client.call('ingestFile', { project_id: it.project, ingest_file_id: id }),
  ),
  uploadIngestFile: calls(someFile, (client, it, file) =>
    client.call('uploadIngestFile', { project_id: it.project, body: fileForm(file) }),
  ),
  deleteIngestFile: calls(uploaded, (client, it, id) =>
    client.call('deleteIngestFile', { project_id: it.project, ingest_file_id: id }),
  ),

  workspaces: reads((client) => first(client.list('workspaces', { query: PAGE }))),
  workspace: reads((client, it) => client.call('workspace', { workspace_id: it.workspace })),
  secrets: reads((client, it) =>
    first(
      client.list('secrets', {
        workspace_id: it.workspace,
        query: {
          ...PAGE,
          sort: { name: 'name', order: 'asc' },
          filters: { field: ['type', 'equals', 'store_b_credentials'] },
        },
      }),
    ),
  ),
  createSecret: calls(someSecret, (client, it, secret) =>
    client.call('createSecret', { workspace_id: it.workspace, body: { secret } }),
  ),
  deleteSecret: calls(
    (it) => it.client.call('createSecret', { workspace_id: it.workspace, body: { secret: someSecret(it) } }),
    (client, it, { id }) => client.call('deleteSecret', { workspace_id: it.workspace, secret_id: id }),
  ),
  dataExports: reads((client, it) =>
    first(
      client.list('dataExports', {
        workspace_id: it.workspace,
        query: {
          ...PAGE,
          sort: { name: 'requested_at', order: 'desc' },
          filters: { field: ['data_type', 'has_value', ''] },
        },
      }),
    ),
  ),
  dataExport: calls(
    (it) =>
      it.client.call('createDataExport', {
        workspace_id: it.workspace,
        body: { data_export: someExport(it) },
      }),
    (client, it, { id }) => client.call('dataExport', { workspace_id: it.workspace, data_export_id: id }),
  ),
  createDataExport: calls(someExport, (client, it, wanted) =>
    client.call('createDataExport', { workspace_id: it.workspace, body: { data_export: wanted } }),
  ),
};
