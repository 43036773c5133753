import { type CrawlFacts, hasField } from './crawls.ts';
import type { Page } from './pages.ts';
import { bool, list, str } from './values.ts';

const WINDOW_MS = 28 * 86_400_000;
const REFUSED: readonly (number | null)[] = [401, 403, 429, 503];
const GONE: readonly (number | null)[] = [404, 410];

const warns = ({ row }: Page, ...names: readonly string[]): boolean =>
  (list(row, 'processing_warnings') ?? []).some((one) => names.includes(one));

/** What a crawl saw of whether a page is indexable; null where it did not get to see it. */
function stateOf(page: Page): string | null {
  const { status, row } = page;
  if (REFUSED.includes(status)) return null;
  if (status === null) {
    if (warns(page, 'robots_unavailable')) return null;
    if (page.isRobotsDenied === true) return 'robots_denied';
    if (str(row, 'fetch_status') === 'unfetched_exception' || bool(row, 'fetched') === false) return null;
  }
  const isAnswer = status === null || (status >= 200 && status <= 399);
  if (isAnswer && warns(page, 'unreadable_content', 'not_parsed')) return null;
  return page.isIndexable === true ? 'indexable' : page.reason;
}

/** Whether what the crawl saw is the page, or that it is gone or blocked. */
function isObserved(page: Page): boolean {
  const { status } = page;
  if (stateOf(page) === null) return false;
  return status === null || GONE.includes(status) || (status >= 200 && status <= 399);
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  robots_denied: ['robots_txt_denied', 'fetch_status'],
  noindex: ['meta_robots_index', 'meta_robots'],
  canonicalised: ['canonical_evaluation', 'rel_canonical'],
  service: ['indexable'],
};

/** Whether the exports of a crawl and the previous one tell of a state. */
function isTold({ pages, previous }: CrawlFacts, state: string): boolean {
  if (state === 'indexable') return true;
  return [pages, previous?.pages].every((data) => hasField(data, ...(FIELDS[state] ?? ['status_code'])));
}

/** Whether a page of a crawl was indexable in one of the crawls of the 28 days before, and was not again since. */
export function becameNonIndexable(crawl: CrawlFacts, page: Page): boolean {
  if (crawl.previous === null || page.isIndexable !== false || page.reason === 'redirect') return false;
  if (!isObserved(page)) return false;
  const chain: CrawlFacts[] = [];
  for (
    let one: CrawlFacts | null = crawl;
    one !== null && (crawl.endedAt ?? 0) - (one.endedAt ?? 0) <= WINDOW_MS;
    one = one.previous
  )
    chain.unshift(one);
  let isLost = false;
  for (const one of chain) {
    const [now, before] = [one.byUrl.get(page.url), one.previous?.byUrl.get(page.url)];
    const state = now === undefined ? null : stateOf(now);
    const former = before === undefined ? null : stateOf(before);
    if (one.previous === null || state === null || state === former || !isTold(one, state)) continue;
    if (former !== null && !isTold(one, former)) continue;
    if (former === 'indexable' && state !== 'redirect') isLost = true;
    if (state === 'indexable' || state === 'redirect') isLost = false;
  }
  return isLost;
}
