import {
  CLUSTER_FIELDS,
  LINK_FIELDS,
  OWN_LINK_FIELDS,
  REQUEST_FIELDS,
  STRUCTURED_DATA_FIELDS,
} from '../../../../client/fields/report-fields.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import { typeFamily } from '../../../project/model/field.ts';
import { descriptionsOf, PAGE_DESCRIPTIONS, PAGE_FIELD_FAMILIES } from './page-descriptions.ts';

const FIELD_FIELDS: Readonly<Record<string, string>> = {
  actions: 'Filter types that work on the field.',
  agg_dimension: 'Whether aggregates can group by the field.',
  agg_metric_methods: 'Aggregation methods that work on the field.',
  arity: 'Whether the field has one value or many.',
  can_display: 'Whether searches and exports can have the field.',
  can_filter: 'Whether filters can use the field.',
  can_sort: 'Whether rows can be sorted by the field.',
  data_type:
    'Data type of the crawl that has the field: pages, links, clusters, structured_data or requests.',
  name: 'Name of the field.',
  type: 'Type of the field, as the service names it.',
  values: 'Possible values of an enum.',
};

const LOGGED_URL = { url: 'Full URL that was requested.', urlpath: 'Path of the URL.' };

const LOG_EVENT_FIELDS: Readonly<Record<string, string>> = {
  ...LOGGED_URL,
  bot: 'Name of the bot that sent the request.',
  bot_kind: 'Kind of the bot: seo, sea or vertical.',
  bot_verification: 'Whether the address confirms the bot of the user agent: verified, refuted or unchecked.',
  bytes_sent: 'Number of bytes of the response.',
  day: 'Day of the request.',
  device: 'Device that sent the request: desktop or mobile.',
  event_date: 'When the server logged the request.',
  is_bot: 'Whether a bot sent the request.',
  is_seo_visit: 'Whether a person came from search results.',
  method: 'HTTP method.',
  referer: 'URL that the request named as its referrer.',
  search_engine: 'Search engine that the bot belongs to.',
  status_code: 'HTTP status of the response.',
  status_code_range: 'Range of the HTTP status: ok, redirect, client_error or server_error.',
  url_first_path: 'First directory of the path, or /.',
  url_has_params: 'Whether the URL has a query string.',
  url_host: 'Host of the URL.',
  user_agent: 'User agent that the request named.',
};

const LOG_PAGE_FIELDS: Readonly<Record<string, string>> = {
  ...LOGGED_URL,
  bot_hits: 'Number of requests of bots.',
  bytes_sent: 'Number of bytes of the responses.',
  day: 'Day that the row counts.',
  hits: 'Number of requests.',
  hits_2xx: 'Number of requests that were answered with a status of 200 to 299.',
  hits_3xx: 'Number of requests that were answered with a status of 300 to 399.',
  hits_4xx: 'Number of requests that were answered with a status of 400 to 499.',
  hits_5xx: 'Number of requests that were answered with a status of 500 to 599.',
  is_active: 'Whether a person came from search results in the period.',
  is_crawled: 'Whether a bot requested the URL in the period.',
  last_status_code: 'HTTP status of the last answer in the period.',
  month: 'Month that the row counts, YYYY-MM.',
  sea_bot_hits: 'Number of requests of bots of the kind sea.',
  seo_bot_hits: 'Number of requests of bots of the kind seo.',
  seo_visits: 'Number of visits from search results.',
  vertical_bot_hits: 'Number of requests of bots of the kind vertical.',
  visits: 'Number of visits of people.',
  week: 'Week that the row counts, YYYY-Www; the project sets whether it begins on Monday or Sunday.',
};

const RANKING_FIELDS: Readonly<Record<string, string>> = {
  clicks: 'Number of clicks on the URL in search results.',
  country: 'Country of the searcher.',
  date: 'Day of the searches.',
  device: 'Device of the searcher.',
  impressions: 'Number of times that search results showed the URL.',
  is_branded: 'Whether the query contains the brand.',
  period_days: 'Number of days that the row totals, up to date; NULL: a row of one day and URL.',
  totals_by: 'Dimensions of a total, as in url; all: no dimension.',
  search_engine: 'The search engine, google or bing.',
  is_anonymized: 'Whether the search engine hides the query to protect its users.',
  position: 'Average position of the URL in search results, weighted by impressions.',
  query: 'Query of the searcher.',
  url: 'Full URL that search results showed.',
};

/** Descriptions of the fields of the service's own records (api-spec.md §2.3 to §2.12), by dataset. */
const RESOURCE_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  projects: {
    id: 'Identifier of the project.',
    crawl_config_ids: "Identifiers of the project's crawl configurations.",
    crawl_ids: "Identifiers of the project's crawls.",
    crawl_over_crawl_ids: "Identifiers of the project's crawl over crawls.",
    domain: 'Domain of the start URL.',
    features: 'Features that are enabled for the project.',
    is_verified_by:
      'How the ownership was verified: analytics_b, search_console or admin; NULL when it was not.',
    last_crawl_created_at: 'When the latest crawl was created, UTC milliseconds.',
    last_crawl_id: 'Identifier of the latest crawl.',
    limits: 'Limits that are set for this project, as JSON.',
    log_monitoring_data_ready: 'Whether the log monitoring can be searched.',
    log_monitoring_processing_enabled: 'Whether the service processes log files by itself.',
    log_monitoring_ready: 'Whether log monitoring was configured.',
    name: 'Name of the project.',
    start_url: 'Start URL of the project.',
    user_id: 'Identifier of the owner.',
  },
  crawls: {
    id: 'Identifier of the crawl.',
    crawl_config: 'Crawl configuration that the crawl used, as JSON, without secrets.',
    created_at: 'When the crawl was created, UTC milliseconds.',
    cross_analysis_access_logs: 'Days of the log files that the crawl was crossed with, as JSON.',
    cross_analysis_analytics_a: 'Days of analytics_a that the crawl was crossed with, as JSON.',
    cross_analysis_analytics_b: 'Days of analytics_b that the crawl was crossed with, or its error, as JSON.',
    cross_analysis_backlinks: 'Stores and flows of the connector backlinks, as JSON.',
    end_reason: 'Why the crawl ended: ok, max_url_reached, user_requested, …',
    ended_at: 'When the crawl ended, UTC milliseconds.',
    features: 'Features that the crawl has.',
    fetched_urls: 'Number of URLs that the crawler fetched.',
    last_depth: 'Depth at which the crawl ended.',
    link_status: 'State of the links: live or archived.',
    project_id: 'Identifier of its project.',
    status: 'State of the crawl: running, done, cancelled, archived, …',
    user_id: 'Identifier of the user.',
  },
  crawl_over_crawls: {
    id: 'Identifier of the crawl over crawl.',
    configuration: 'Name and URL transformations of the comparison, as JSON.',
    crawl1_id: 'Identifier of the base crawl.',
    crawl2_id: 'Identifier of the crawl that is compared with the base.',
    creation_date: 'When it was created, UTC milliseconds.',
    end_date: 'When it ended, UTC milliseconds.',
    end_reason: 'Why it ended: ok, requested or conflicting_urls.',
    last_data_accessed_at: 'When its data was last read, UTC milliseconds.',
    network_name: 'Name of the network that stores the data.',
    project_id: 'Identifier of its project.',
    status: 'State: running, done or cancelled.',
    user_id: 'Identifier of the user.',
    version: 'Version of the export.',
  },
  scheduled_crawls: {
    id: 'Identifier of the scheduled crawl.',
    config_id: 'Identifier of the crawl configuration.',
    project_id: 'Identifier of its project.',
    recurrence: 'How often it starts: day, week, 2weeks or month; NULL: once.',
    start_date: 'When the first crawl starts, UTC milliseconds.',
  },
  crawl_configs: {
    id: 'Identifier of the crawl configuration.',
    agent_kind: 'Kind of the crawler: web or mobile.',
    ajax_crawling: 'Whether the site is crawled as a pre-rendered JavaScript site.',
    allow_query_params: 'Whether the crawler follows URLs with query parameters.',
    alternate_start_urls: 'Additional start URLs, all at depth 1.',
    crawl_subdomains: 'Whether the crawler follows links to all subdomains.',
    custom_fields: 'Configuration of data scraping, as JSON.',
    dns: 'IP addresses that replace those of hosts, as JSON.',
    filter_query_params: 'Whether the crawler removes query strings from URLs.',
    js_rendering: 'Whether the crawler renders pages with JavaScript.',
    max_depth: 'Maximum depth: the crawler does not follow links beyond it.',
    max_speed: 'Maximum number of URLs per second.',
    max_url: 'Maximum number of URLs to fetch.',
    name: 'Name of the crawl configuration.',
    query_params_list: 'Query parameters to keep or remove, separated by commas.',
    resource_checker: 'Whether the crawler watches requested resources.',
    robots_txt: 'Contents that replace the robots.txt of hosts, as JSON.',
    sitemaps: 'URLs of sitemaps.',
    start_url: 'URL at which the crawl starts.',
    strict_sitemaps: 'Whether the crawler follows the sitemaps protocol strictly.',
    trigger_coc: 'Whether the service makes a crawl over crawl at the end.',
    use_cookies: 'Whether the crawler keeps cookies between requests.',
    use_proxy: 'Whether the crawler uses the proxy with fixed IP addresses.',
    user_agent: 'Name of the crawler in its user agent.',
    user_input_files: 'Identifiers of the ingest files that the crawl uses.',
    watched_resources: 'Patterns of the watched resources, as JSON.',
    whitelist_params_mode:
      'Whether query_params_list names the parameters to keep; false: the parameters to remove.',
  },
  ingest_files: {
    id: 'Identifier of the ingest file.',
    created_at: 'When it was created, UTC milliseconds.',
    detailed_invalid_lines: 'Number of invalid lines by category, as JSON.',
    error_message: 'Error message from processing.',
    fields: 'Type of each field that was parsed, as JSON.',
    invalid_lines: 'Number of invalid lines.',
    kind: 'Kind of the file: ingest or seed.',
    lines_errors_messages: 'Error messages of lines by category, as JSON.',
    name: 'Name of the file.',
    project_id: 'Identifier of its project.',
    size: 'Number of characters of the file.',
    status: 'State: UPLOADING, UPLOADED, PROCESSING, PROCESSED or ERROR.',
    valid_lines: 'Number of valid lines.',
  },
  workspaces: {
    id: 'Identifier of the workspace.',
    name: 'Name of the workspace.',
    role: 'Role of the user: owner, manager or user.',
    subscription_features: 'Features that the subscription enables.',
    subscription_status: 'State of the subscription: active or inactive.',
  },
  data_exports: {
    id: 'Identifier of the data export.',
    data_type: 'Data type: page, link or keyword.',
    expiration_date: 'When the export expires, UTC milliseconds.',
    export_failure_reason: 'Why the export failed.',
    output_format: 'Format of the files: csv, json or parquet.',
    output_format_parameters: 'Parameters of the format, such as csv_delimiter, as JSON.',
    output_row_count: 'Number of exported rows.',
    output_size_in_bytes: 'Size of the files, in bytes.',
    requested_at: 'When the export was requested, UTC milliseconds.',
    resource_id: 'Identifier of the exported crawl.',
    status: 'State of the export, such as REQUESTED or DONE.',
    target: 'Where the files go: store_a, store_b or download_center.',
    target_parameters: 'Parameters of the target, as JSON.',
  },
};

const META_COLUMNS: Readonly<Record<string, string>> = {
  _unit: 'Unit that loaded the row.',
  _source_id: 'Identifier of the crawl, comparison or project; of a list, the workspace.',
  _crawl_id: 'Identifier of the crawl.',
  _project_id: 'Identifier of the project; NULL in lists.',
  _window: 'First day of the window.',
  _seen_from: 'When this version of the record was first seen.',
  _seen_to: 'When this version of the record changed or disappeared; NULL: it is current.',
  _run_id: 'Run that loaded the row, as in ops.runs.',
  _loaded_at: 'When the row was loaded.',
};

const DATASETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...RESOURCE_FIELDS,
  crawl_pages: PAGE_DESCRIPTIONS,
  crawl_links: descriptionsOf({ ...LINK_FIELDS, ...OWN_LINK_FIELDS }),
  crawl_clusters: descriptionsOf(CLUSTER_FIELDS),
  crawl_structured_data: descriptionsOf(STRUCTURED_DATA_FIELDS),
  crawl_requests: descriptionsOf(REQUEST_FIELDS),
  fields: FIELD_FIELDS,
  log_events: LOG_EVENT_FIELDS,
  log_pages_days: LOG_PAGE_FIELDS,
  log_pages_weeks: LOG_PAGE_FIELDS,
  log_pages_months: LOG_PAGE_FIELDS,
  ranking_performance: RANKING_FIELDS,
};

/** A field of a dataset as the service reports it. */
export interface DescribedField {
  readonly field: string;
  readonly type: string;
  readonly arity: string;
  /** The service's own description. */
  readonly description?: string | undefined;
}

/** Returns the description of a field: the service's, else ours, else one derived from its type. */
export function describeField(dataset: string, { field, type, arity, description }: DescribedField): string {
  return description?.trim() || known(dataset, field) || byType(field, type, arity);
}

export function describeMetaColumn(column: string): string | undefined {
  return lookUp(META_COLUMNS, column);
}

function known(dataset: string, field: string): string | undefined {
  if (dataset === 'crawl_over_crawl_pages') return compared(field);
  const fields = lookUp(DATASETS, dataset);
  if (fields && Object.hasOwn(fields, field)) return fields[field];
  return dataset === 'crawl_pages' ? family(field) : undefined;
}

/** Describes a page field that projects or connectors add. */
function family(field: string): string | undefined {
  for (const [prefix, describe] of Object.entries(PAGE_FIELD_FAMILIES))
    if (field.startsWith(prefix) && field.length > prefix.length) return describe(field.slice(prefix.length));
  return undefined;
}

/** Describes a field of a comparison, either of both crawls or of a page in one crawl. */
function compared(field: string): string | undefined {
  if (field === 'url') return 'Full URL of the page in the comparison, after its URL transformations.';
  if (field === 'presence') return 'Which crawls have the page: in_both, only_crawl1 or only_crawl2.';
  const [, crawl, name = ''] = /^(crawl[12])_(.+)$/.exec(field) ?? [];
  const words = crawl && known('crawl_pages', name);
  return words && `${crawl === 'crawl1' ? 'Base crawl' : 'Compared crawl'}: ${words}`;
}

const KINDS: Readonly<Record<ReturnType<typeof typeFamily>, string>> = {
  whole: 'a whole number',
  real: 'a number',
  bool: 'true or false',
  date: 'a date',
  datetime: 'a point in time',
  text: 'a text',
  json: 'JSON',
};

function byType(field: string, type: string, arity: string): string {
  const kind = KINDS[typeFamily(type)];
  return `Field ${field} of the service: ${arity === 'many' ? `a list, each value ${kind}` : kind}.`;
}
