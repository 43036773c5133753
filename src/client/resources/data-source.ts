import * as data from '../data-endpoints.ts';
import { type CrawlDataType, type Granularity, LOCAL_DATA_TYPES } from './fields.ts';

/** One of the four sources to search and export rows from (api-spec.md §4.1). */
export type DataSource =
  | { readonly kind: 'crawl'; readonly id: string; readonly dataType: CrawlDataType }
  | { readonly kind: 'crawl_over_crawl'; readonly id: string }
  | { readonly kind: 'log_events'; readonly projectId: string }
  | { readonly kind: 'log_pages'; readonly projectId: string; readonly granularity: Granularity };

/** Returns the name of a source in messages: `pages of crawl 65a1…`. */
export function describeSource(source: DataSource): string {
  switch (source.kind) {
    case 'crawl':
      return `${source.dataType} of crawl ${source.id}`;
    case 'crawl_over_crawl':
      return `pages of crawl over crawl ${source.id}`;
    case 'log_events':
      return `log events of project ${source.projectId}`;
    case 'log_pages':
      return `log pages by ${source.granularity} of project ${source.projectId}`;
  }
}

/** Returns fields whose values are unique by contract: a crawl fetches a URL once (api-spec.md §2.15). */
export function uniqueFields(source: DataSource): readonly string[] {
  return source.kind === 'crawl' && source.dataType === 'pages' ? ['url'] : [];
}

/**
 * Returns fields with a value in every row: the URL of a page (api-spec.md §2.15), the two ends of a link
 * (wire-facts.md).
 */
export function requiredFields(source: DataSource): readonly string[] {
  if (source.kind !== 'crawl') return [];
  if (source.dataType === 'pages' || source.dataType === 'requests') return ['url'];
  return source.dataType === 'links' ? ['origin', 'target'] : [];
}

/** Returns the endpoints of a source, and the parameters of their paths. */
export function sourceEndpoints(source: DataSource) {
  switch (source.kind) {
    case 'crawl': {
      const isLocal = (LOCAL_DATA_TYPES as readonly string[]).includes(source.dataType);
      const parameters = { crawl_id: source.id, data_type: source.dataType };
      return { parameters, ...(isLocal ? data.LOCAL_CRAWL : data.CRAWL) };
    }
    case 'crawl_over_crawl':
      return { parameters: { coc_id: source.id, data_type: 'pages' }, ...data.CRAWL_OVER_CRAWL };
    case 'log_events':
      return { parameters: { project_id: source.projectId, data_type: 'events' }, ...data.LOG_EVENTS };
    case 'log_pages':
      return {
        parameters: { project_id: source.projectId, data_type: 'pages', granularity: source.granularity },
        ...data.LOG_PAGES,
      };
  }
}
