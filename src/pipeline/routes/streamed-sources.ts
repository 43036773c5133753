import type { Pipeline } from '../../project/model/pipeline.ts';
import { CRAWL_DATA_TYPES } from '../../service/api/resources/fields.ts';

/** Whether the rows of a source can be searched and exported (api-spec.md §4): all but lists and aggregates. */
export function isStreamed({ kind, data_type }: Pipeline['source']): boolean {
  if (kind === 'crawl') return (CRAWL_DATA_TYPES as readonly string[]).includes(data_type);
  if (kind === 'crawl_over_crawl') return data_type === 'pages';
  return kind === 'log_monitoring' && (data_type === 'pages' || data_type === 'events');
}

/** Requests for the fields and the count of a unit: crawls alone have fields of their own. */
export function describingRequests({ kind }: Pipeline['source']): number {
  return kind === 'crawl' ? 2 : 1;
}
