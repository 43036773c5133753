import type { CrawlDataType, FieldRecord } from '../../api/fields.ts';
import { CLUSTER_CATALOGUE } from './cluster-catalogue.ts';
import { CRAWL_OVER_CRAWL_CATALOGUE } from './crawl-over-crawl-catalogue.ts';
import { LINK_CATALOGUE } from './link-catalogue.ts';
import { LOG_EVENT_CATALOGUE, LOG_PAGE_CATALOGUES } from './log-catalogue.ts';
import { PAGE_CATALOGUE } from './page-catalogue.ts';
import { RANKING_CATALOGUE } from './ranking-catalogue.ts';
import { STRUCTURED_DATA_CATALOGUE } from './structured-data-catalogue.ts';

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
