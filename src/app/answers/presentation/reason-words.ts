import { countText } from '../../../core/text/amounts.ts';
import { lookUp } from '../../../core/text/look-up.ts';

/** Readable reasons why a page is not compared or where it went (mart.page_comparison). */
const WORDS: Readonly<Record<string, string>> = {
  blocked_by_robots: 'blocked by robots.txt',
  robots_unavailable: 'robots.txt could not be read',
  not_fetched: 'not requested',
  not_found: 'gone (404)',
  removed: 'gone (410)',
  unauthorized: 'refused (401)',
  forbidden: 'refused (403)',
  too_many_requests: 'refused (429)',
  try_later: 'refused (503)',
  no_answer: 'no answer',
  server_error: 'server error (5xx)',
  client_error: 'client error (4xx)',
  broken_body: 'content could not be read',
  other_status: 'another HTTP status',
  temporary_redirect: 'temporary redirect',
  not_linked: 'no longer linked',
  outside_limits: "outside the crawl's limits",
  not_in_list: 'not in the list',
  still_there: 'still there, but no longer linked',
  gone: 'gone (404 or 410)',
  merged: 'redirects to another page',
  redirect_without_end: 'redirect without a working target',
  target_not_read: 'moved to a page that was not crawled',
  related_not_read: 'the other page was not read',
  sitemaps_not_read: 'the sitemaps were not read',
  issue_not_compared: 'the issue cannot be compared',
  moved_again: 'moved twice',
  crawl_not_loaded: 'its crawl is not loaded',
  segment_missing: 'its crawl has no such segment',
  no_pages: 'it contains no page',
  no_crawl_since: 'no comparable crawl since',
};

export function reasonWords(reason: string): string {
  return lookUp(WORDS, reason) ?? reason.replaceAll('_', ' ');
}

/** Counts of pages by reason, largest first: `12 blocked by robots.txt, 3 no longer linked`. */
export function reasonsText(reasons: readonly { readonly reason: string; readonly pages: number }[]): string {
  return reasons.map(({ reason, pages }) => `${countText(pages)} ${reasonWords(reason)}`).join(', ');
}
