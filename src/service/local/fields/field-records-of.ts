import type { FieldRecord, Granularity } from '../../api/resources/fields.ts';
import { BOT_KINDS } from '../../api/resources/log-monitoring.ts';
import { fieldRecord, recordsOf } from './field-record.ts';
import { PAGE_FIELD_RECORDS, STATUS_RANGES } from './page-fields.ts';

/** Fields of structured data items: nothing public shows them, so they are ours. */
export const STRUCTURED_DATA_FIELD_RECORDS = recordsOf([
  ['url', 'string'],
  ['format', 'enum', 'one', ['json-ld', 'rdfa', 'microdata']],
  ['type', 'string'],
  ['position', 'natural'],
  ['valid', 'bool'],
  ['missing_properties', 'string', 'many'],
  ['item', 'object'],
]);

/** What a crawl of a website requested besides its pages: of no specification, and so ours. */
const REQUEST_FIELD_RECORDS = recordsOf([
  ['url', 'string'],
  ['kind', 'enum', 'one', ['robots_txt', 'sitemap', 'recheck', 'target']],
  ['status_code', 'natural'],
  ['fetch_status error redirect_location final_redirect_location', 'string'],
  ['final_redirect_status', 'natural'],
  ['robots_txt_denied is_indexable is_noindex', 'bool'],
  ['canonical source_url', 'string'],
  ['declared_as', 'enum', 'one', ['canonical', 'hreflang', 'redirect', 'next', 'prev', 'amp']],
  ['num_urls', 'natural'],
  ['content', 'string'],
  ['fetch_date', 'datetime'],
]);

/** Fields of links (wire-facts.md, "link fields"; their types are ours). */
export const LINK_FIELD_RECORDS: readonly FieldRecord[] = [
  ...recordsOf([
    ['origin target anchor', 'string'],
    ['follow intern', 'bool'],
    ['target_status', 'natural'],
    ['target_status_range', 'enum', 'one', STATUS_RANGES],
    ['target_fetched', 'bool'],
    ['juice', 'float'],
  ]),
  ...['origin', 'target'].flatMap((end) =>
    recordsOf([
      [`${end}_ext ${end}_first_path`, 'string'],
      [`${end}_has_params`, 'bool'],
      [`${end}_host ${end}_path ${end}_querystring_key ${end}_querystring_keyvalue`, 'string'],
    ]),
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

export function dimension(name: string, type: string, values?: readonly string[]): FieldRecord {
  return { ...fieldRecord(name, type, 'one', values), agg_metric_methods: ['cardinality'] };
}

function metric(name: string, type: string, methods: readonly string[]): FieldRecord {
  return { ...fieldRecord(name, type), agg_dimension: false, agg_metric_methods: [...methods] };
}

/** Lines of log files; nothing public shows their fields (wire-facts.md): ours. */
export const LOG_EVENT_FIELD_RECORDS = recordsOf([
  ['url urlpath url_host url_first_path', 'string'],
  ['url_has_params', 'bool'],
  ['event_date', 'datetime'],
  ['day', 'date'],
  ['method', 'enum', 'one', ['GET', 'POST', 'HEAD', 'OPTIONS']],
  ['status_code', 'natural'],
  ['status_code_range', 'enum', 'one', STATUS_RANGES],
  ['bytes_sent', 'natural'],
  ['referer user_agent', 'string'],
  ['device', 'enum', 'one', ['desktop', 'mobile']],
  ['is_bot', 'bool'],
  ['bot', 'string'],
  ['bot_kind', 'enum', 'one', BOT_KINDS],
  ['search_engine', 'enum', 'one', ['google']],
  ['is_seo_visit', 'bool'],
]);

/** The totals of all hits on a URL in a day, week or month. */
const HITS = recordsOf([
  ['hits bot_hits', 'natural'],
  [BOT_KINDS.map((kind) => `${kind}_bot_hits`).join(' '), 'natural'],
  ['visits seo_visits hits_2xx hits_3xx hits_4xx hits_5xx last_status_code bytes_sent', 'natural'],
  ['is_crawled is_active', 'bool'],
]);

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

/** The fields of a data type where nothing else gives them. */
export const FIELD_RECORDS = {
  pages: PAGE_FIELD_RECORDS,
  links: LINK_FIELD_RECORDS,
  clusters: CLUSTER_FIELD_RECORDS,
  structured_data: STRUCTURED_DATA_FIELD_RECORDS,
  requests: REQUEST_FIELD_RECORDS,
  crawl_over_crawl_pages: CRAWL_OVER_CRAWL_FIELD_RECORDS,
  events: LOG_EVENT_FIELD_RECORDS,
  log_pages_days: LOG_PAGE_FIELD_RECORDS.days,
  log_pages_weeks: LOG_PAGE_FIELD_RECORDS.weeks,
  log_pages_months: LOG_PAGE_FIELD_RECORDS.months,
  ranking_performance: RANKING_FIELD_RECORDS,
} as const satisfies Readonly<Record<string, readonly FieldRecord[]>>;

/** Names of the rows that the service keeps: of a crawl, of a comparison, of a project (interface.md, `--import`). */
export type DatasetName = keyof typeof FIELD_RECORDS;
