import { retryAfterMs } from '../../../client/http/retry-after.ts';
import type { Pace } from '../frontier/pace.ts';
import type { FetchedAnswer } from './fetcher.ts';
import { leadsOn } from './redirect-status.ts';

/** Attempts at a URL that cannot be fetched (api-spec.md §2.4, `stopped_progressing`). */
export const MOST_ATTEMPTS = 3;
/** The longest wait that a server can request with 429 or 503. */
export const LONGEST_HOLD_MS = 60_000;

/**
 * Returns whether a request may get a better response later. 429 and 503 ask to retry later, and the host then receives
 * no requests for the requested time. A body that broke off may arrive completely the next time.
 */
export function mayRetry(
  { statusCode, error, headers, isBrokenOff }: FetchedAnswer,
  { host }: URL,
  pace: Pace,
): boolean {
  if (statusCode === null) return error !== 'refused_address';
  if (isBrokenOff && !leadsOn(statusCode)) return true;
  if (statusCode !== 429 && statusCode !== 503) return false;
  const ms = retryAfterMs(headers.find(([name]) => name === 'retry-after')?.[1]) ?? 0;
  if (ms > 0) pace.hold(host, performance.now() + Math.min(ms, LONGEST_HOLD_MS));
  return true;
}
