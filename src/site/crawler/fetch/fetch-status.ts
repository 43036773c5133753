import { FETCH_STATUSES, type FetchStatus } from '../../../client/resources/crawl-progress.ts';

/** Returns the fetch status of a page. */
export function fetchStatus(statusCode: number | null, isDenied = false): FetchStatus {
  if (isDenied) return 'unfetched_robots_denied';
  const fetched = `fetched_${Math.floor((statusCode ?? 0) / 100)}xx`;
  return FETCH_STATUSES.find((one) => one === fetched) ?? 'unfetched_exception';
}
