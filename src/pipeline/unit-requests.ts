import { CRAWL_DATA_TYPES } from '../api/fields.ts';
import type { Pipeline } from '../model/pipeline.ts';
import type { ChosenRoute } from './choose-route.ts';

/** Lists that discovery has read already. */
const READ_BY_DISCOVERY: readonly string[] = ['projects', 'crawls', 'crawl_over_crawls'];
/** Rows a request of a search, and of aggregates (docs/routes.md). */
const SEARCH_ROWS = 2_000;

/**
 * The fewest requests that a unit costs the service: fields and count, then what its route asks. More come with
 * retries, with each look at a data export under way, and with lists and pieces whose length shows only then.
 *
 * @param rows null where the service gives no count
 */
export function unitRequests(
  source: Pipeline['source'],
  route: ChosenRoute['route'],
  rows: number | null,
): number {
  if (route === 'list') {
    if (source.kind === 'crawl') return CRAWL_DATA_TYPES.length;
    return READ_BY_DISCOVERY.includes(source.data_type) ? 0 : 1;
  }
  // One aggregate of everything, then the pages.
  if (route === 'aggs') return 2;
  const described = source.kind === 'crawl' ? 2 : 1;
  if (route === 'search') return described + Math.ceil((rows ?? 0) / SEARCH_ROWS);
  // Looked for among those under way, asked for, and seen to be done.
  return described + (route === 'export' ? 3 : 1);
}
