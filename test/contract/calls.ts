import type { ServiceClient } from '../../src/api/client.ts';
import type { OperationId } from '../../src/api/endpoints.ts';
import type { StreamedResponse } from '../../src/api/transport.ts';
import {
  type Landscape,
  launched,
  someConfig,
  someExport,
  someFile,
  someSecret,
  uploaded,
} from './landscape.ts';

/** A right call of an operation: what it needs is made ready first, so that the call is one request. */
export interface ContractCall<T = unknown> {
  readonly ready: (it: Landscape) => Promise<T> | T;
  readonly call: (client: ServiceClient, it: Landscape, ready: T) => Promise<unknown>;
}

function calls<T>(
  ready: (it: Landscape) => Promise<T> | T,
  call: (client: ServiceClient, it: Landscape, ready: T) => Promise<unknown>,
): ContractCall {
  return { ready, call } as ContractCall;
}

/** A call that needs nothing but what is there. */
function reads(call: (client: ServiceClient, it: Landscape) => Promise<unknown>): ContractCall {
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
  crawlFields: reads((client, it) => client.crawlFields(it.crawls[0], 'pages')),
  logMetadata: reads((client, it) => client.logMetadata(it.project, 'events')),
  searchCrawl: reads((client, it) =>
    client.searchCrawl(it.crawls[0], 'pages', {
      fields: ['url', 'status_code'],
      oql: { and: [{ field: ['url', 'startswith', 'HTTP', { ci: true }] }, { field: ['depth', 'gte', 0] }] },
      sort: [{ field: 'url', order: 'asc' }],
      limit: 3,
      offset: 1,
    }),
  ),
  searchCrawlOverCrawl: reads((client, it) => client.searchCrawlOverCrawl(it.comparison, { limit: 3 })),
  searchLogEvents: reads((client, it) => client.searchLogEvents(it.project, { limit: 3 })),
  searchLogPages: reads((client, it) => client.searchLogPages(it.project, 'weeks', { limit: 3 })),
  aggregateCrawl: reads((client, it) =>
    client.aggregateCrawl(it.crawls[0], 'pages', {
      aggs: [
        { fields: [{ name: 'depth', ranges: [{ name: 'near', to: 3 }] }], value: 'load_time:avg' },
        { fields: [{ name: 'status_code' }], oql: { field: ['fetched', 'equals', true] } },
      ],
    }),
  ),
  aggregateCrawlOverCrawl: reads((client, it) => client.aggregateCrawlOverCrawl(it.comparison, COUNT)),
  aggregateLogEvents: reads((client, it) => client.aggregateLogEvents(it.project, COUNT)),
  aggregateLogPages: reads((client, it) => client.aggregateLogPages(it.project, 'months', COUNT)),
  exportCrawl: reads((client, it) => text(client.exportCrawl(it.crawls[0], 'links', {}, 'csv', false))),
  exportCrawlOverCrawl: reads((client, it) =>
    text(client.exportCrawlOverCrawl(it.comparison, {}, 'json', false)),
  ),
  exportLogEvents: reads((client, it) => text(client.exportLogEvents(it.project, {}, 'json', false))),
  exportLogPages: reads((client, it) => text(client.exportLogPages(it.project, 'days', {}, 'csv', false))),

  rankingFields: reads((client, it) => client.rankingFields(it.project)),
  aggregateRanking: reads((client, it) =>
    client.aggregateRanking(it.project, {
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
    }),
  ),
  exportRanking: reads((client, it) =>
    client.exportRanking(it.project, {
      request: { fields: ['query'], oql: DATES },
      output_format: 'csv',
      output_format_parameters: { csv_delimiter: ';' },
    }),
  ),

  projects: reads((client, it) =>
    first(
      client.projects(it.workspace, {
        ...PAGE,
        sort: { name: 'name', order: 'desc' },
        filters: { field: ['name', 'has_value', ''] },
      }),
    ),
  ),
  project: reads((client, it) => client.project(it.project)),
  createProject: calls(
    (it) => it.name(),
    (client, _it, name) => client.createProject({ name, start_url: 'https://www.example.com/' }),
  ),
  deleteProject: calls(
    (it) => it.client.createProject({ name: it.name(), start_url: 'https://www.example.com/' }),
    (client, _it, { id }) => client.deleteProject(id),
  ),

  scheduledCrawls: reads((client, it) => first(client.scheduledCrawls(it.project, PAGE))),
  createScheduledCrawl: reads((client, it) =>
    client.createScheduledCrawl(it.project, {
      config_id: it.config,
      recurrence: 'month',
      start_date: Date.now() + 86_400_000,
    }),
  ),
  deleteScheduledCrawl: calls(
    (it) =>
      it.client.createScheduledCrawl(it.project, {
        config_id: it.config,
        start_date: Date.now() + 86_400_000,
      }),
    (client, it, { id }) => client.deleteScheduledCrawl(it.project, id),
  ),

  launchCrawl: calls(
    (it) => it.client.createCrawlConfig(it.project, someConfig(it)),
    (client, it, { id }) => client.launchCrawl(it.project, id),
  ),
  crawls: reads((client, it) =>
    first(
      client.crawls(it.workspace, {
        ...PAGE,
        sort: { name: 'created_at', order: 'desc' },
        filters: { field: ['status', 'equals', 'done'] },
      }),
    ),
  ),
  crawl: reads((client, it) => client.crawl(it.crawls[0])),
  crawlProgress: reads((client, it) => client.crawlProgress(it.crawls[0])),
  pilotCrawl: calls(launched, (client, _it, { crawl }) => client.pilotCrawl(crawl, 'pause')),
  deleteCrawl: calls(
    async (it) => {
      const { crawl } = await launched(it);
      await it.client.pilotCrawl(crawl, 'cancel');
      await it.service.ask(`/_sandbox/crawls/${crawl}`, { method: 'PATCH', body: { status: 'cancelled' } });
      return crawl;
    },
    (client, _it, crawl) => client.deleteCrawl(crawl),
  ),

  launchCrawlOverCrawl: reads((client, it) =>
    client.launchCrawlOverCrawl(
      it.project,
      { crawl1: it.crawls[0], crawl2: it.crawls[1] },
      {
        configuration: {
          name: 'moved',
          url_transformations: {
            type: 'replace_prefix',
            crawl_to_transform: 1,
            config: { find: 'http://', replace: 'https://' },
          },
        },
      },
    ),
  ),
  crawlOverCrawls: reads((client, it) =>
    first(
      client.crawlOverCrawls(it.workspace, {
        ...PAGE,
        sort: { name: 'created_at', order: 'asc' },
        filters: { field: ['project_id', 'equals', it.project] },
      }),
    ),
  ),
  crawlOverCrawl: reads((client, it) => client.crawlOverCrawl(it.comparison)),
  deleteCrawlOverCrawl: calls(
    (it) => it.client.launchCrawlOverCrawl(it.project, { crawl1: it.crawls[0], crawl2: it.crawls[1] }),
    (client, _it, { id }) => client.deleteCrawlOverCrawl(id),
  ),

  crawlConfigs: reads((client, it) => client.crawlConfigs(it.project)),
  crawlConfig: reads((client, it) => client.crawlConfig(it.project, it.config)),
  createCrawlConfig: calls(someConfig, (client, it, config) => client.createCrawlConfig(it.project, config)),
  updateCrawlConfig: calls(
    async (it) => {
      const config = someConfig(it);
      await it.client.createCrawlConfig(it.project, config);
      return { ...config, max_depth: 3 };
    },
    (client, it, config) => client.updateCrawlConfig(it.project, config),
  ),
  deleteCrawlConfig: calls(
    (it) => it.client.createCrawlConfig(it.project, someConfig(it)),
    (client, it, { id }) => client.deleteCrawlConfig(it.project, id),
  ),
  validateCustomWebhook: reads((client, it) =>
    client.validateCustomWebhook(it.project, { url: it.webhook, secret: 'eight or more' }),
  ),

  ingestFiles: reads((client, it) =>
    first(
      client.ingestFiles(it.project, {
        ...PAGE,
        sort: { name: 'name', order: 'asc' },
        filters: { field: ['kind', 'has_value', ''] },
      }),
    ),
  ),
  ingestFile: calls(uploaded, (client, it, id) => client.ingestFile(it.project, id)),
  uploadIngestFile: calls(someFile, (client, it, file) => client.uploadIngestFile(it.project, file)),
  deleteIngestFile: calls(uploaded, (client, it, id) => client.deleteIngestFile(it.project, id)),

  workspaces: reads((client) => first(client.workspaces(PAGE))),
  workspace: reads((client, it) => client.workspace(it.workspace)),
  secrets: reads((client, it) =>
    first(
      client.secrets(it.workspace, {
        ...PAGE,
        sort: { name: 'name', order: 'asc' },
        filters: { field: ['type', 'equals', 'store_b_credentials'] },
      }),
    ),
  ),
  createSecret: calls(someSecret, (client, it, secret) => client.createSecret(it.workspace, secret)),
  deleteSecret: calls(
    (it) => it.client.createSecret(it.workspace, someSecret(it)),
    (client, it, { id }) => client.deleteSecret(it.workspace, id),
  ),
  dataExports: reads((client, it) =>
    first(
      client.dataExports(it.workspace, {
        ...PAGE,
        sort: { name: 'requested_at', order: 'desc' },
        filters: { field: ['data_type', 'has_value', ''] },
      }),
    ),
  ),
  dataExport: calls(
    (it) => it.client.createDataExport(it.workspace, someExport(it)),
    (client, it, { id }) => client.dataExport(it.workspace, id),
  ),
  createDataExport: calls(someExport, (client, it, wanted) => client.createDataExport(it.workspace, wanted)),
};
