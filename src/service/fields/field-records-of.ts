import { STATUS_RANGES } from '../../client/fields/page-fields.ts';
import {
  CLUSTER_FIELDS,
  LINK_FIELDS,
  REQUEST_FIELDS,
  STRUCTURED_DATA_FIELDS,
} from '../../client/fields/report-fields.ts';
import type { FieldRecord, Granularity } from '../../client/resources/fields.ts';
import { BOT_KINDS } from '../../client/resources/log-monitoring.ts';
import { fieldRecord, fieldRecords, recordsOf } from './field-record.ts';
import { PAGE_FIELD_RECORDS } from './specified-page-fields.ts';

export const STRUCTURED_DATA_FIELD_RECORDS = fieldRecords(STRUCTURED_DATA_FIELDS);
export const LINK_FIELD_RECORDS = fieldRecords(LINK_FIELDS);
const REQUEST_FIELD_RECORDS = fieldRecords(REQUEST_FIELDS);
export const CLUSTER_FIELD_RECORDS = fieldRecords(CLUSTER_FIELDS);

/** Page fields that a comparison shows for both crawls. The URLs are those before any transformation. */
export const COMPARED_FIELDS =
  'url status_code status_code_range fetched fetch_status depth inrank title title_evaluation h1 meta_description word_count load_time weight language nb_inlinks internal_outlinks external_outlinks meta_robots_index meta_robots_follow robots_txt_denied rel_canonical canonical_evaluation redirect_location final_redirect_status num_img'.split(
    ' ',
  );

const PRESENCES = ['in_both', 'only_crawl1', 'only_crawl2'] as const;

/** Compared pages. Their fields are not public (wire-facts.md), so they are crawlhouse's own. */
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
 * Ranking performance: the specification's seven fields (api-spec.md §2.13, "Field catalog"), then fields of
 * crawlhouse.
 * `sum` adds up, `weighted_average` and `ctr` have one field each (§4.2), `cardinality` counts the different values.
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

/** Lines of log files. Their fields are not public (wire-facts.md), so they are crawlhouse's own. */
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

/** The field with the period, by granularity (api-spec.md §2.13; spec-notes.md 30 for the format of days). */
export const PERIOD_FIELDS: Readonly<Record<Granularity, FieldRecord>> = {
  days: fieldRecord('day', 'date'),
  weeks: fieldRecord('week', 'string'),
  months: fieldRecord('month', 'string'),
};

/** URLs of the log files by day, week or month; only that field is from the specification. */
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

/** The fields of a data type without fields of its own. */
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

/** Names of the datasets of a crawl, of a comparison, of a project (interface.md, `--import`). */
export type DatasetName = keyof typeof FIELD_RECORDS;
