import type { Row } from '../sites/sites.ts';
import { type CrawlFacts, isList } from './crawls.ts';
import { chainOf } from './links.ts';
import { isChallenged, type Page, within } from './pages.ts';
import { bool, byBytes, list, num, once, str } from './values.ts';

/** Why a crawl read nothing of a page, or that it is gone; null if it was read. */
export function observationReason({ row, status, isRobotsDenied }: Page): string | null {
  const warnings = list(row, 'processing_warnings') ?? [];
  if (status === null) {
    if (warnings.includes('robots_unavailable')) return 'robots_unavailable';
    if (isRobotsDenied === true) return 'blocked_by_robots';
    if (row.fetch_status === 'unfetched_exception') return 'no_answer';
    if (bool(row, 'fetched') === false) return 'not_fetched';
  }
  const byStatus: Readonly<Record<number, string>> = {
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not_found',
    410: 'removed',
    429: 'too_many_requests',
    503: 'try_later',
  };
  if (isChallenged(row)) return 'forbidden';
  if (status !== null && status in byStatus) return byStatus[status] ?? null;
  if (within(status, 400, 499)) return 'client_error';
  if (within(status, 500, 599)) return 'server_error';
  if (status !== null && !within(status, 200, 399)) return 'other_status';
  return warnings.some((one) => one === 'unreadable_content' || one === 'not_parsed') ? 'broken_body' : null;
}

/** Whether a crawl saw what a page is; NULL for an export that does not show it counts as seen. */
export const isAnswered = (page: Page): boolean =>
  [null, 'not_found', 'removed'].includes(observationReason(page));
const isGone = (page: Page): boolean => ['not_found', 'removed'].includes(observationReason(page) ?? '');
/** Where a temporary redirect leads is another page. */
const isElsewhere = ({ status }: Page): boolean => [302, 303, 307].includes(status ?? 0);
const isSeen = (page: Page | undefined): page is Page =>
  page !== undefined && isAnswered(page) && !isElsewhere(page);
const reasonOf = (page: Page | undefined): string | null =>
  page === undefined ? null : isElsewhere(page) ? 'temporary_redirect' : observationReason(page);

const REFUSED = ['unauthorized', 'forbidden', 'too_many_requests', 'try_later'];
const UNREADABLE = ['no_answer', 'server_error', 'client_error', 'broken_body', 'other_status'];
export const isRefusedOrUnreadable = (page: Page): boolean =>
  [...REFUSED, ...UNREADABLE].includes(observationReason(page) ?? '');

/** Whether a crawl read the links of the whole website. */
export const hasAllLinks = once((crawl: CrawlFacts): boolean => {
  const unread = crawl.allPages.filter(isRefusedOrUnreadable).length;
  const isDisturbed = unread >= 5 && 100 * unread > crawl.allPages.length;
  return crawl.isComplete && crawl.endReason !== 'max_depth_reached' && !isList(crawl) && !isDisturbed;
});

/** Whether it read every sitemap that it reports. */
export const hasAllSitemaps = ({ requests }: CrawlFacts): boolean =>
  (requests?.rows ?? []).every((row) => row.kind !== 'sitemap' || isReadFile(row));
const isReadFile = (row: Row): boolean => num(row, 'num_urls') !== null;

/** What became of a URL that two crawls did not both read as the same page (mart.page_comparison). */
export interface ComparedUrl {
  readonly url: string;
  readonly comparison: 'added' | 'gone' | 'moved' | 'merged' | 'missing' | 'unseen';
  readonly isObservedBefore: boolean;
  readonly isObserved: boolean;
  readonly reason: string | null;
  readonly movedTo: string | null;
}

/** What a crawl found when it asked again for a URL that it had not met. */
function recheckOf(row: Row | undefined): string | null {
  if (row === undefined) return null;
  const [status, final] = [num(row, 'status_code'), num(row, 'final_redirect_status')];
  if (bool(row, 'robots_txt_denied') === true) return 'blocked';
  if (row.error === 'robots_unavailable') return 'unknown';
  if (status === 404 || status === 410) return 'gone';
  if (within(status, 300, 399)) return final === 404 || final === 410 ? 'gone' : 'moved';
  if ([401, 403, 429, 503].includes(status ?? 0)) return 'refused';
  return within(status, 200, 299) ? 'unlinked' : 'unreadable';
}

interface Candidate {
  readonly url: string;
  readonly former: Page | undefined;
  readonly page: Page | undefined;
  readonly recheck: string | null;
  readonly recheckedTo: string | null;
}

interface Move {
  readonly url: string;
  readonly movedTo: string;
  readonly place: number;
}

/** Where the pages of the former crawl are now, at the most one move of each. */
function movesOf(crawl: CrawlFacts, candidates: readonly Candidate[]): Move[] {
  const redirects = candidates.flatMap(({ url, former, page, recheck, recheckedTo }): Move[] => {
    if (recheck === 'moved' && recheckedTo !== null) return [{ url, movedTo: recheckedTo, place: 1 }];
    if (former === undefined || page === undefined) return [];
    if (![301, 308].includes(page.status ?? 0) || within(former.status, 300, 399)) return [];
    const chain = chainOf(crawl, page);
    const isLasting = chain?.hops.every((hop) => [301, 308].includes(hop.page.status ?? 0));
    if (!chain || !isLasting || chain.isLoop || chain.isCut) return [];
    return [{ url, movedTo: chain.finalUrl, place: 1 }];
  });
  const lost = candidates.flatMap(({ former, page, recheck }) =>
    isSeen(former) &&
    former.status === 200 &&
    (page === undefined ? [null, 'gone'].includes(recheck) : isGone(page))
      ? [former]
      : [],
  );
  const came = candidates.flatMap(({ former, page }) =>
    former === undefined && isSeen(page) && page.status === 200 ? [page] : [],
  );
  const alike = (place: number, keyOf: (page: Page) => readonly unknown[]): Move[] => {
    const key = (page: Page): string | null => {
      const parts = keyOf(page);
      return parts.includes(null) ? null : JSON.stringify(parts);
    };
    const [before, after] = [lost, came].map((pages) => Map.groupBy(pages, key));
    return [...(before ?? [])].flatMap(([text, pages]) => {
      const others = text === null ? [] : (after?.get(text) ?? []);
      const [page, other] = [pages[0], others[0]];
      if (pages.length !== 1 || others.length !== 1 || !page || !other) return [];
      return [{ url: page.url, movedTo: other.url, place }];
    });
  };
  const contents = ({ row }: Page): readonly unknown[] => [
    ...['title', 'h1', 'meta_description'].map((name) => str(row, name)),
    num(row, 'word_count'),
  ];
  const all = [...redirects, ...alike(2, ({ canonicalUrl }) => [canonicalUrl]), ...alike(3, contents)];
  return [...Map.groupBy(all, ({ url }) => url).values()].flatMap(
    (of) => of.toSorted((a, b) => a.place - b.place || byBytes(a.movedTo, b.movedTo))[0] ?? [],
  );
}

export const comparisonOf = once((crawl: CrawlFacts): ReadonlyMap<string, ComparedUrl> => {
  const { previous } = crawl;
  if (previous === null) return new Map();
  const rechecks = new Map(
    (crawl.requests?.rows ?? []).flatMap((row): [string, Row][] =>
      row.kind === 'recheck' ? [[String(row.url), row]] : [],
    ),
  );
  const urls = new Set([...crawl.byUrl.keys(), ...previous.byUrl.keys()]);
  const candidates = [...urls].flatMap((url): Candidate[] => {
    const [former, page] = [previous.byUrl.get(url), crawl.byUrl.get(url)];
    const recheck = former !== undefined && page === undefined ? rechecks.get(url) : undefined;
    const isSame =
      isSeen(former) &&
      isSeen(page) &&
      !(isGone(page) && !isGone(former)) &&
      !([301, 308].includes(page.status ?? 0) && !within(former.status, 300, 399));
    if (isSame) return [];
    const to = str(recheck, 'final_redirect_location');
    return [{ url, former, page, recheck: recheckOf(recheck), recheckedTo: to }];
  });
  const moves = movesOf(crawl, candidates);
  const byUrl = new Map(moves.map((move) => [move.url, move]));
  const isFirst = ({ url, movedTo, place }: Move): boolean =>
    !moves.some(
      (other) =>
        other.movedTo === movedTo &&
        (other.place < place || (other.place === place && byBytes(other.url, url) < 0)),
    );
  const isWhole = (move: Move): boolean => isFirst(move) && !previous.byUrl.has(move.movedTo);
  const arrived = new Set(
    candidates.flatMap(({ url, former }) => {
      const move = byUrl.get(url);
      return move && isWhole(move) && isSeen(former) ? [move.movedTo] : [];
    }),
  );
  const unknown = isList(crawl) ? 'not_in_list' : hasAllLinks(crawl) ? 'not_linked' : 'outside_limits';
  const unknownBefore = isList(previous) ? 'not_in_list' : hasAllLinks(previous) ? null : 'outside_limits';
  const compared = candidates
    .filter(({ url }) => !arrived.has(url))
    .map(({ url, former, page, recheck }): ComparedUrl => {
      const [was, is, move] = [isSeen(former), isSeen(page), byUrl.get(url)];
      const comparison = move
        ? isWhole(move)
          ? 'moved'
          : 'merged'
        : former === undefined
          ? unknownBefore === null
            ? 'added'
            : 'unseen'
          : recheck === 'gone' && was
            ? 'gone'
            : page === undefined || !is || (was && !isGone(page))
              ? 'missing'
              : was
                ? 'gone'
                : 'unseen';
      const rechecked: Readonly<Record<string, string>> = {
        unlinked: 'still_there',
        blocked: 'blocked_by_robots',
        moved: 'redirect_without_end',
        gone: 'not_found',
        unknown: 'robots_unavailable',
      };
      const missing =
        page === undefined
          ? recheck === null
            ? unknown
            : (rechecked[recheck] ?? recheck)
          : (reasonOf(page) ?? 'redirect_without_end');
      return {
        url,
        comparison,
        isObservedBefore: former === undefined ? unknownBefore === null : was,
        isObserved: move
          ? isSeen(crawl.byUrl.get(move.movedTo)) || !isWhole(move)
          : was && page !== undefined
            ? is && isGone(page)
            : is || recheck === 'gone',
        reason:
          comparison === 'missing'
            ? missing
            : comparison === 'unseen'
              ? (reasonOf(former) ?? unknownBefore)
              : null,
        movedTo: move?.movedTo ?? null,
      };
    });
  return new Map(compared.map((one) => [one.url, one]));
});
