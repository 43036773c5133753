import { FETCH_STATUSES, type FetchStatus } from '../../../api/resources/crawl-progress.ts';

/** What came of a request, as pages have it. */
export function fetchStatus(statusCode: number | null, isDenied = false): FetchStatus {
  if (isDenied) return 'unfetched_robots_denied';
  const fetched = `fetched_${Math.floor((statusCode ?? 0) / 100)}xx`;
  return FETCH_STATUSES.find((one) => one === fetched) ?? 'unfetched_exception';
}
