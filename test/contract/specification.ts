/** What a request of the specification carries. */
type Request = 'nothing' | 'page query' | 'offset and limit' | 'query' | 'JSON' | 'query and JSON' | 'a form';

/** An operation as the specification has it. Nothing here comes from src/service/api. */
export interface SpecifiedOperation {
  /** What the client calls it. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As api-spec.md §4 writes it, with the query that is part of it. */
  readonly path: string;
  readonly scope: string;
  readonly request: Request;
  readonly status: 200 | 204;
  /** Keys of the answer; a file has none. */
  readonly response: readonly string[] | 'file';
  /** Error types besides `unauthorized`, `forbidden` and `internal_error`. */
  readonly errors: readonly string[];
}

type Row = readonly [
  name: string,
  method: SpecifiedOperation['method'],
  path: string,
  scope: string,
  request: Request,
  response: string,
  errors: string,
];

const CRAWL = '/data/crawl/<crawl_id>/<data_type>';
const COC = '/data/crawl_over_crawl/<coc_id>/<data_type>';
const EVENTS = '/data/project/<project_id>/log_monitoring/<data_type>';
const LOG_PAGES = `${EVENTS}/<granularity>`;
const RANKING = '/data/project/<project_id>/ranking_performance';
const READ = 'projects:read';
const WRITE = 'projects:write';

const PARAMETERS = 'invalid_request_parameters';
/** A resource that is read. */
const FOUND = `${PARAMETERS} resource_not_found`;
/** Rows that are read. */
const ROWS = `invalid_request ${FOUND} invalid_state_for_request`;

/** The 52 operations of api-spec.md §4, by hand, in its order. */
const ROWS_OF_THE_TABLE: readonly Row[] = [
  ['crawlFields', 'GET', `${CRAWL}/fields`, READ, 'nothing', 'fields', FOUND],
  [
    'logMetadata',
    'GET',
    `${EVENTS}/metadata`,
    READ,
    'nothing',
    'bot_kinds dates search_engines week_definition',
    `${FOUND} invalid_state_for_request`,
  ],
  ['searchCrawl', 'POST', CRAWL, READ, 'JSON', 'meta oql urls', ROWS],
  ['searchCrawlOverCrawl', 'POST', COC, READ, 'JSON', 'meta oql urls', ROWS],
  ['searchLogEvents', 'POST', EVENTS, READ, 'JSON', 'meta oql urls', ROWS],
  ['searchLogPages', 'POST', LOG_PAGES, READ, 'JSON', 'meta oql urls', ROWS],
  ['aggregateCrawl', 'POST', `${CRAWL}/aggs`, READ, 'JSON', 'aggs', ROWS],
  ['aggregateCrawlOverCrawl', 'POST', `${COC}/aggs`, READ, 'JSON', 'aggs', ROWS],
  ['aggregateLogEvents', 'POST', `${EVENTS}/aggs`, READ, 'JSON', 'aggs', ROWS],
  ['aggregateLogPages', 'POST', `${LOG_PAGES}/aggs`, READ, 'JSON', 'aggs', ROWS],
  ['exportCrawl', 'POST', `${CRAWL}?export=true`, READ, 'query and JSON', 'file', ROWS],
  ['exportCrawlOverCrawl', 'POST', `${COC}?export=true`, READ, 'query and JSON', 'file', ROWS],
  ['exportLogEvents', 'POST', `${EVENTS}?export=true`, READ, 'query and JSON', 'file', ROWS],
  ['exportLogPages', 'POST', `${LOG_PAGES}?export=true`, READ, 'query and JSON', 'file', ROWS],

  ['rankingFields', 'GET', `${RANKING}/fields`, READ, 'nothing', 'fields', FOUND],
  [
    'aggregateRanking',
    'POST',
    `${RANKING}/aggs`,
    READ,
    'JSON',
    'aggs',
    `invalid_request ${FOUND} quota_error`,
  ],
  [
    'exportRanking',
    'POST',
    `${RANKING}/async-export`,
    READ,
    'JSON',
    'data_export',
    `invalid_request ${FOUND} quota_error`,
  ],

  ['projects', 'GET', '/workspaces/<workspace_id>/projects', READ, 'page query', 'meta projects', FOUND],
  ['project', 'GET', '/projects/<project_id>', READ, 'nothing', 'project crawl_configs crawls', FOUND],
  [
    'createProject',
    'POST',
    '/projects',
    WRITE,
    'JSON',
    'project',
    `invalid_request ${PARAMETERS} duplicate_entry quota_error`,
  ],
  [
    'deleteProject',
    'DELETE',
    '/projects/<project_id>',
    WRITE,
    'nothing',
    '',
    `${FOUND} invalid_state_for_request`,
  ],

  [
    'scheduledCrawls',
    'GET',
    '/projects/<project_id>/scheduled_crawls',
    READ,
    'offset and limit',
    'meta scheduled_crawls',
    FOUND,
  ],
  [
    'createScheduledCrawl',
    'POST',
    '/projects/<project_id>/scheduled_crawls',
    WRITE,
    'JSON',
    'scheduled_crawl',
    `invalid_request ${FOUND}`,
  ],
  [
    'deleteScheduledCrawl',
    'DELETE',
    '/projects/<project_id>/scheduled_crawls/<scheduled_crawl_id>',
    WRITE,
    'nothing',
    '',
    FOUND,
  ],

  [
    'launchCrawl',
    'POST',
    '/projects/<project_id>/launch-crawl?configId=<crawl_config_id>',
    WRITE,
    'query',
    'crawl',
    `${FOUND} invalid_state_for_request quota_error`,
  ],
  ['crawls', 'GET', '/workspaces/<workspace_id>/crawls', READ, 'page query', 'meta crawls', FOUND],
  ['crawl', 'GET', '/crawls/<crawl_id>', READ, 'nothing', 'crawl', FOUND],
  [
    'crawlProgress',
    'GET',
    '/crawls/<crawl_id>/progress',
    READ,
    'nothing',
    'progress timestamp version',
    FOUND,
  ],
  [
    'pilotCrawl',
    'POST',
    '/crawls/<crawl_id>/pilot',
    WRITE,
    'JSON',
    'crawl',
    `invalid_request ${FOUND} invalid_state_for_request`,
  ],
  ['deleteCrawl', 'DELETE', '/crawls/<crawl_id>', WRITE, 'nothing', '', `${FOUND} invalid_state_for_request`],

  [
    'launchCrawlOverCrawl',
    'POST',
    '/projects/<project_id>/launch-coc?crawl1=<crawl1_id>&crawl2=<crawl2_id>',
    WRITE,
    'query and JSON',
    'crawl_over_crawl',
    ROWS,
  ],
  [
    'crawlOverCrawls',
    'GET',
    '/workspaces/<workspace_id>/crawl_over_crawls',
    READ,
    'page query',
    'meta crawl_over_crawls',
    FOUND,
  ],
  [
    'crawlOverCrawl',
    'GET',
    '/crawl_over_crawls/<crawl_over_crawl_id>',
    READ,
    'nothing',
    'crawl_over_crawl',
    FOUND,
  ],
  ['deleteCrawlOverCrawl', 'DELETE', '/crawl_over_crawls/<crawl_over_crawl_id>', WRITE, 'nothing', '', FOUND],

  ['crawlConfigs', 'GET', '/projects/<project_id>/crawl_configs', READ, 'nothing', 'crawl_configs', FOUND],
  [
    'crawlConfig',
    'GET',
    '/projects/<project_id>/crawl_configs/<crawl_config_id>',
    READ,
    'nothing',
    'crawl_config',
    FOUND,
  ],
  [
    'createCrawlConfig',
    'POST',
    '/projects/<project_id>/crawl_configs',
    WRITE,
    'JSON',
    'crawl_config',
    `invalid_request ${FOUND} duplicate_entry`,
  ],
  [
    'updateCrawlConfig',
    'PUT',
    '/projects/<project_id>/crawl_configs',
    WRITE,
    'JSON',
    'crawl_config',
    `invalid_request ${FOUND}`,
  ],
  [
    'deleteCrawlConfig',
    'DELETE',
    '/projects/<project_id>/crawl_configs/<crawl_config_id>',
    WRITE,
    'nothing',
    '',
    `${FOUND} invalid_state_for_request`,
  ],
  [
    'validateCustomWebhook',
    'POST',
    '/projects/<project_id>/crawl_configs/validate_custom_webhook',
    WRITE,
    'JSON',
    'success status_code',
    `invalid_request ${FOUND}`,
  ],

  ['ingestFiles', 'GET', '/projects/<project_id>/ingest_files', READ, 'page query', 'meta user_files', FOUND],
  [
    'ingestFile',
    'GET',
    '/projects/<project_id>/ingest_files/<ingest_file_id>',
    READ,
    'nothing',
    'user_file',
    FOUND,
  ],
  [
    'uploadIngestFile',
    'POST',
    '/projects/<project_id>/ingest_files',
    WRITE,
    'a form',
    '',
    `invalid_request ${FOUND} duplicate_entry`,
  ],
  [
    'deleteIngestFile',
    'DELETE',
    '/projects/<project_id>/ingest_files/<ingest_file_id>',
    WRITE,
    'nothing',
    '',
    FOUND,
  ],

  ['workspaces', 'GET', '/workspaces', 'account:read', 'page query', 'meta workspaces', PARAMETERS],
  ['workspace', 'GET', '/workspaces/<workspace_id>', 'account:read', 'nothing', 'workspace', FOUND],
  [
    'secrets',
    'GET',
    '/workspaces/<workspace_id>/secrets',
    'account:read',
    'page query',
    'meta secrets',
    FOUND,
  ],
  [
    'createSecret',
    'POST',
    '/workspaces/<workspace_id>/secrets',
    'account:write',
    'JSON',
    'secret',
    `invalid_request ${FOUND} duplicate_entry`,
  ],
  [
    'deleteSecret',
    'DELETE',
    '/workspaces/<workspace_id>/secrets/<secret_id>',
    'account:write',
    'nothing',
    '',
    FOUND,
  ],
  [
    'dataExports',
    'GET',
    '/workspaces/<workspace_id>/data_exports',
    'account:read',
    'page query',
    'meta account',
    FOUND,
  ],
  [
    'dataExport',
    'GET',
    '/workspaces/<workspace_id>/data_exports/<data_export_id>',
    'account:read',
    'nothing',
    'data_export',
    FOUND,
  ],
  [
    'createDataExport',
    'POST',
    '/workspaces/<workspace_id>/data_exports',
    'account:write',
    'JSON',
    'data_export',
    `${ROWS} quota_error`,
  ],
];

export const SPECIFICATION: readonly SpecifiedOperation[] = ROWS_OF_THE_TABLE.map(
  ([name, method, path, scope, request, response, errors]) => ({
    name,
    method,
    path,
    scope,
    request,
    status: response === '' ? 204 : 200,
    response: response === 'file' ? 'file' : response.split(' ').filter(Boolean),
    errors: errors.split(' '),
  }),
);
