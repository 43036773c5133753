import type { CrawlDataType, FieldRecord } from '../../api/resources/fields.ts';
import { CRAWL_OVER_CRAWL_CATALOGUE } from './crawl-over-crawl-catalogue.ts';
import { fieldRecord } from './field-record.ts';
import { LOG_EVENT_CATALOGUE, LOG_PAGE_CATALOGUES } from './log-catalogue.ts';
import { PAGE_CATALOGUE } from './page-catalogue.ts';
import { RANKING_CATALOGUE } from './ranking-catalogue.ts';

/** Fields of structured data items: nothing public shows them, so they are ours. */
export const STRUCTURED_DATA_CATALOGUE: readonly FieldRecord[] = [
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
export const LINK_CATALOGUE: readonly FieldRecord[] = [
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
export const CLUSTER_CATALOGUE: readonly FieldRecord[] = [
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

/** Names of the rows that the sandbox keeps: of a crawl, of a comparison, of a project (interface.md, `--import`). */
export type DatasetName =
  | CrawlDataType
  | 'crawl_over_crawl_pages'
  | 'events'
  | 'log_pages_days'
  | 'log_pages_weeks'
  | 'log_pages_months'
  | 'ranking_performance';

const CATALOGUES: Readonly<Record<DatasetName, readonly FieldRecord[]>> = {
  pages: PAGE_CATALOGUE,
  links: LINK_CATALOGUE,
  clusters: CLUSTER_CATALOGUE,
  structured_data: STRUCTURED_DATA_CATALOGUE,
  crawl_over_crawl_pages: CRAWL_OVER_CRAWL_CATALOGUE,
  events: LOG_EVENT_CATALOGUE,
  log_pages_days: LOG_PAGE_CATALOGUES.days,
  log_pages_weeks: LOG_PAGE_CATALOGUES.weeks,
  log_pages_months: LOG_PAGE_CATALOGUES.months,
  ranking_performance: RANKING_CATALOGUE,
};

/** The fields of a data type where nothing else gives them. */
export function catalogueOf(name: DatasetName): readonly FieldRecord[] {
  return CATALOGUES[name];
}
