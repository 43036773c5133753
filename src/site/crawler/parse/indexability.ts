import type { CrawlFacts, PageRecord } from '../records/records.ts';
import { isFile } from './content-kind.ts';

type Judged = Pick<
  PageRecord,
  | 'url'
  | 'status_code'
  | 'meta_refresh_delay'
  | 'meta_robots_index'
  | 'rel_canonical'
  | 'content_problem'
  | 'content_kind'
> &
  Pick<CrawlFacts, 'robots_txt_denied'>;

/**
 * Returns why search engines do not index a page, judged by the page alone. If several reasons apply, it is the first
 * in the order of this function. Null: none applies, or the page is unknown.
 */
export function nonIndexableReason(
  page: Judged,
): 'robots_denied' | 'status' | 'redirect' | 'noindex' | 'canonicalised' | null {
  if (page.robots_txt_denied) return 'robots_denied';
  if (page.status_code === null) return null;
  if (page.status_code !== 200) return 'status';
  if (page.meta_refresh_delay === 0) return 'redirect';
  if (page.meta_robots_index === false) return 'noindex';
  return page.rel_canonical === null || page.rel_canonical === page.url ? null : 'canonicalised';
}

/** Returns null for a page that was not fetched, has unknown content, or is a file, unless a reason applies. */
export function isIndexable(page: Judged): boolean | null {
  if (nonIndexableReason(page) !== null) return false;
  const isRead = page.status_code !== null && page.content_problem === null;
  return isRead && !isFile(page.content_kind) ? true : null;
}
