import type { CrawlDataType, FieldRecord, Granularity } from '../../api/resources/fields.ts';
import { BOT_KINDS } from '../../api/resources/log-monitoring.ts';
import { fieldRecord } from './field-record.ts';
import { PAGE_FIELD_RECORDS } from './page-fields.ts';

/** Fields of structured data items: nothing public shows them, so they are ours. */
export const STRUCTURED_DATA_FIELD_RECORDS: readonly FieldRecord[] = [
  fieldRecord('url', 'string'),
  fieldRecord('format', 'enum', 'one', ['json-ld', 'rdfa', 'microdata']),
  fieldRecord('type', 'string'),
  fieldRecord('position', 'natural'),
  fieldRecord('valid', 'bool'),
  fieldRecord('missing_properties', 'string', 'many'),
  fieldRecord('item', 'object'),
];

const PARTS: readonly (readonly [suffix: string, type: string])[] = [
  ['ext', 'string'],
  ['first_path', 'string'],
  ['has_params', 'bool'],
  ['host', 'string'],
  ['path', 'string'],
  ['querystring_key', 'string'],
  ['querystring_keyvalue', 'string'],
];

/** Fields of links (wire-facts.md, "link fields"; their types are ours). */
export const LINK_FIELD_RECORDS: readonly FieldRecord[] = [
  fieldRecord('origin', 'string'),
  fieldRecord('target', 'string'),
  fieldRecord('anchor', 'string'),
  fieldRecord('follow', 'bool'),
  fieldRecord('intern', 'bool'),
  fieldRecord('target_status', 'natural'),
  fieldRecord('target_status_range', 'enum', 'one', ['ok', 'redirect', 'client_error', 'server_error']),
  fieldRecord('target_fetched', 'bool'),
  fieldRecord('juice', 'float'),
  ...['origin', 'target'].flatMap((end) =>
    PARTS.map(([suffix, type]) => fieldRecord(`${end}_${suffix}`, type)),
  ),
];

/** Fields of clusters of similar pages: size and average similarity are the specification's, the rest is ours. */
export const CLUSTER_FIELD_RECORDS: readonly FieldRecord[] = [
  fieldRecord('cluster_id', 'hash'),
  fieldRecord('size', 'natural'),
  fieldRecord('average_similarity', 'percentage'),
  fieldRecord('canonical_status', 'enum', 'one', [
    'canonical_ok',
    'canonical_not_matching',
    'canonical_not_set',
  ]),
  fieldRecord('sample_urls', 'string', 'many'),
];

/** Page fields that a comparison shows of both crawls. The URL of each is as it was before any transformation. */
export const COMPARED_FIELDS =
  'url status_code status_code_range fetched fetch_status depth inrank title title_evaluation h1 meta_description word_count load_time weight language nb_inlinks internal_outlinks external_outlinks meta_robots_index meta_robots_follow robots_txt_denied rel_canonical canonical_evaluation redirect_location final_redirect_status num_img'.split(
    ' ',
  );

const PRESENCES = ['in_both', 'only_crawl1', 'only_crawl2'] as const;

/** Compared pages; nothing public shows their fields (wire-facts.md): ours. */
export const CRAWL_OVER_CRAWL_FIELD_RECORDS: readonly FieldRecord[] = [
  fieldRecord('url', 'string'),
  fieldRecord('presence', 'enum', 'one', [...PRESENCES]),
  ...COMPARED_FIELDS.flatMap((name) => [comparedField('crawl1', name), comparedField('crawl2', name)]),
];

function comparedField(crawl: 'crawl1' | 'crawl2', name: string): FieldRecord {
  const record = PAGE_FIELD_RECORDS.find((field) => field.name === name);
  if (record === undefined) throw new Error(`no page field ${name}`);
  return { ...record, name: `${crawl}_${name}` };
}

export const RANKING_DEVICES = ['desktop', 'mobile', 'tablet'] as const;
export const RANKING_COUNTRIES = ['usa', 'gbr', 'fra', 'deu', 'esp', 'jpn'] as const;

/**
 * Ranking performance: the specification's seven fields (api-spec.md §2.13, "Field catalog"), then ours. `sum` adds up,
 * `weighted_average` and `ctr` have one field each (§4.2), `cardinality` counts the different values.
 */
export const RANKING_FIELD_RECORDS: readonly FieldRecord[] = [
  dimension('url', 'string'),
  dimension('query', 'string'),
  dimension('date', 'date'),
  dimension('device', 'enum', RANKING_DEVICES),
  metric('clicks', 'natural', ['sum', 'cardinality', 'ctr']),
  metric('impressions', 'natural', ['sum', 'cardinality']),
  metric('position', 'float', ['cardinality', 'weighted_average']),
  dimension('country', 'enum', RANKING_COUNTRIES),
  dimension('is_branded', 'bool'),
];

function dimension(name: string, type: string, values?: readonly string[]): FieldRecord {
  return { ...fieldRecord(name, type, 'one', values), agg_metric_methods: ['cardinality'] };
}

function metric(name: string, type: string, methods: readonly string[]): FieldRecord {
  return { ...fieldRecord(name, type), agg_dimension: false, agg_metric_methods: [...methods] };
}

const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS'];
const STATUS_RANGES = ['ok', 'redirect', 'client_error', 'server_error'];

/** Lines of log files; nothing public shows their fields (wire-facts.md): ours. */
export const LOG_EVENT_FIELD_RECORDS: readonly FieldRecord[] = [
  fieldRecord('url', 'string'),
  fieldRecord('urlpath', 'string'),
  fieldRecord('url_host', 'string'),
  fieldRecord('url_first_path', 'string'),
  fieldRecord('url_has_params', 'bool'),
  fieldRecord('event_date', 'datetime'),
  fieldRecord('day', 'date'),
  fieldRecord('method', 'enum', 'one', METHODS),
  fieldRecord('status_code', 'natural'),
  fieldRecord('status_code_range', 'enum', 'one', STATUS_RANGES),
  fieldRecord('bytes_sent', 'natural'),
  fieldRecord('referer', 'string'),
  fieldRecord('user_agent', 'string'),
  fieldRecord('device', 'enum', 'one', ['desktop', 'mobile']),
  fieldRecord('is_bot', 'bool'),
  fieldRecord('bot', 'string'),
  fieldRecord('bot_kind', 'enum', 'one', BOT_KINDS),
  fieldRecord('search_engine', 'enum', 'one', ['google']),
  fieldRecord('is_seo_visit', 'bool'),
];

/** The totals of all hits on a URL in a day, week or month. */
const HITS: readonly FieldRecord[] = [
  fieldRecord('hits', 'natural'),
  fieldRecord('bot_hits', 'natural'),
  ...BOT_KINDS.map((kind) => fieldRecord(`${kind}_bot_hits`, 'natural')),
  fieldRecord('visits', 'natural'),
  fieldRecord('seo_visits', 'natural'),
  ...['2xx', '3xx', '4xx', '5xx'].map((range) => fieldRecord(`hits_${range}`, 'natural')),
  fieldRecord('last_status_code', 'natural'),
  fieldRecord('bytes_sent', 'natural'),
  fieldRecord('is_crawled', 'bool'),
  fieldRecord('is_active', 'bool'),
];

/** The field that tells when, by granularity (api-spec.md §2.13; spec-notes.md 30 for the format of days). */
export const PERIOD_FIELDS: Readonly<Record<Granularity, FieldRecord>> = {
  days: fieldRecord('day', 'date'),
  weeks: fieldRecord('week', 'string'),
  months: fieldRecord('month', 'string'),
};

/** URLs of the log files by day, week or month; the fields but that one are ours. */
export const LOG_PAGE_FIELD_RECORDS: Readonly<Record<Granularity, readonly FieldRecord[]>> = {
  days: pagesBy('days'),
  weeks: pagesBy('weeks'),
  months: pagesBy('months'),
};

function pagesBy(granularity: Granularity): readonly FieldRecord[] {
  return [
    fieldRecord('url', 'string'),
    fieldRecord('urlpath', 'string'),
    PERIOD_FIELDS[granularity],
    ...HITS,
  ];
}

/** Names of the rows that the service keeps: of a crawl, of a comparison, of a project (interface.md, `--import`). */
export type DatasetName =
  | CrawlDataType
  | 'crawl_over_crawl_pages'
  | 'events'
  | 'log_pages_days'
  | 'log_pages_weeks'
  | 'log_pages_months'
  | 'ranking_performance';

const FIELD_RECORDS: Readonly<Record<DatasetName, readonly FieldRecord[]>> = {
  pages: PAGE_FIELD_RECORDS,
  links: LINK_FIELD_RECORDS,
  clusters: CLUSTER_FIELD_RECORDS,
  structured_data: STRUCTURED_DATA_FIELD_RECORDS,
  crawl_over_crawl_pages: CRAWL_OVER_CRAWL_FIELD_RECORDS,
  events: LOG_EVENT_FIELD_RECORDS,
  log_pages_days: LOG_PAGE_FIELD_RECORDS.days,
  log_pages_weeks: LOG_PAGE_FIELD_RECORDS.weeks,
  log_pages_months: LOG_PAGE_FIELD_RECORDS.months,
  ranking_performance: RANKING_FIELD_RECORDS,
};

/** The fields of a data type where nothing else gives them. */
export function fieldRecordsOf(name: DatasetName): readonly FieldRecord[] {
  return FIELD_RECORDS[name];
}
