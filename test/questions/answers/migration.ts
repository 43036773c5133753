import type { Row } from '../sites/sites.ts';
import { observationReason } from './comparison.ts';
import { demandOfCrawl, searchesOf, searchSpan } from './crawl-days.ts';
import { byEnd, type CrawlFacts, isList } from './crawls.ts';
import { type Asked, crawlsAsked, type Facts, named, type ProjectFacts } from './facts.ts';
import { chainOf } from './links.ts';
import { type Page, within } from './pages.ts';
import { addDays, bool, byBytes, daysBetween, list, num, once, str, sum } from './values.ts';

/** From this many old pages on, one new page takes the place of too many. */
const MANY = 5;
const REFUSALS = [401, 403, 429, 503];

/** A request of a crawl besides its pages. */
interface Request {
  readonly url: string;
  readonly status: number | null;
  readonly location: string | null;
  readonly finalUrl: string | null;
  readonly finalStatus: number | null;
  readonly isNoindex: boolean;
  readonly isCanonicalised: boolean | null;
  /** Why it shows nothing, or that the URL is gone. */
  readonly reason: string | null;
}

/** Those of a recheck come before those of a declared target. */
const requestsOf = once((crawl: CrawlFacts): ReadonlyMap<string, Request> => {
  const rows = crawl.requests?.rows ?? [];
  const ordered = ['target', 'recheck'].flatMap((kind) => rows.filter((row) => row.kind === kind));
  return new Map(ordered.map((row) => [String(row.url), requestOf(row)]));
});

function requestOf(row: Row): Request {
  const [url, status, location] = [String(row.url), num(row, 'status_code'), str(row, 'redirect_location')];
  const canonical = str(row, 'canonical');
  const isOther = canonical !== null && canonical !== url;
  const isGone = status === 404 ? 'not_found' : status === 410 ? 'removed' : null;
  const isUnavailable = row.kind === 'recheck' && row.error === 'robots_unavailable';
  const unasked =
    bool(row, 'robots_txt_denied') === true ? 'blocked_by_robots' : isUnavailable && 'robots_unavailable';
  const hidden = unasked || (REFUSALS.includes(status ?? 0) ? 'refused' : 'unreadable');
  return {
    url,
    status,
    location,
    finalUrl: str(row, 'final_redirect_location'),
    finalStatus: num(row, 'final_redirect_status'),
    isNoindex: status === 200 && bool(row, 'is_indexable') === false && !isOther,
    isCanonicalised: status === 200 && canonical !== null ? isOther : null,
    reason: isGone ?? (within(status, 200, 399) ? null : hidden),
  };
}

/** An answer of a URL, in a crawl. */
interface Seen {
  readonly crawl: CrawlFacts;
  readonly evidence: string;
  /** Null of a request besides pages. */
  readonly page: Page | null;
  readonly status: number | null;
  readonly reason: string | null;
  readonly isNoindex: boolean;
  readonly isCanonicalised: boolean | null;
  readonly isDecisive: boolean;
}

/** The redirects from a URL to their end. */
interface Trail {
  readonly hops: number;
  readonly finalUrl: string;
  readonly finalStatus: number | null;
  readonly isLoop: boolean;
  readonly isTemporary: boolean;
}

const isTemporary = (status: number | null): boolean => [302, 303, 307].includes(status ?? 0);
const isHop = (request: Request | undefined): request is Request =>
  request !== undefined && within(request.status, 300, 399) && request.location !== null;

function trailOfPage(crawl: CrawlFacts, page: Page): Trail | null {
  const chain = chainOf(crawl, page);
  if (chain === null) return null;
  const { finalUrl, finalStatus, isLoop } = chain;
  const own = {
    hops: chain.hops.length,
    finalUrl,
    finalStatus,
    isLoop,
    isTemporary: chain.hops.some((hop) => isTemporary(hop.page.status)),
  };
  const next = requestsOf(crawl).get(finalUrl);
  if (!isHop(next)) return own;
  return {
    hops: own.hops + (next.finalUrl === null || next.location === next.finalUrl ? 1 : 2),
    finalUrl: next.finalUrl ?? finalUrl,
    finalStatus: next.finalStatus,
    isLoop: isLoop || next.finalUrl === null,
    isTemporary: own.isTemporary || isTemporary(next.status),
  };
}

function trailOfRequest(crawl: CrawlFacts, url: string): Trail | null {
  const request = requestsOf(crawl).get(url);
  if (!isHop(request)) return null;
  const { location, finalUrl, finalStatus } = request;
  const page = crawl.byUrl.get(location ?? '');
  const further = page === undefined ? null : chainOf(crawl, page);
  const next = requestsOf(crawl).get(location ?? '');
  const hasNext = isHop(next) && next.url !== url;
  const nextHops = hasNext ? (finalUrl === null || next.location === finalUrl ? 1 : 2) : 0;
  return {
    hops: 1 + (further?.hops.length ?? nextHops),
    finalUrl: finalUrl ?? location ?? '',
    finalStatus,
    isLoop: finalUrl === null,
    isTemporary:
      isTemporary(request.status) ||
      (further?.hops ?? []).some((hop) => isTemporary(hop.page.status)) ||
      (isHop(next) && isTemporary(next.status)),
  };
}

const trailOf = ({ crawl, page }: Seen, url: string): Trail | null =>
  page === null ? trailOfRequest(crawl, url) : trailOfPage(crawl, page);

/** The crawls that tell where URLs lead, and the one in which they answered. */
interface Pair {
  readonly project: ProjectFacts;
  readonly crawl: CrawlFacts;
  readonly previous: CrawlFacts | null;
  readonly sources: readonly CrawlFacts[];
}

/** Of a list, the crawl in which the most of its URLs answered 200. */
function formerOf({ crawls }: ProjectFacts, crawl: CrawlFacts): CrawlFacts | null {
  const held = (former: CrawlFacts): number =>
    crawl.allPages.filter(({ url }) => former.byUrl.get(url)?.status === 200).length;
  const [former] = crawls
    .filter((one) => one.isComplete && !isList(one) && held(one) > 0)
    .filter(({ endedAt }) => endedAt !== null && crawl.endedAt !== null && endedAt < crawl.endedAt)
    .toSorted((a, b) => held(b) - held(a) || byEnd(b, a));
  return former ?? null;
}

function pairOf(project: ProjectFacts, crawl: CrawlFacts): Pair {
  const previous = isList(crawl) ? formerOf(project, crawl) : crawl.previous;
  const isLater = ({ endedAt }: CrawlFacts): boolean =>
    endedAt === null || previous === null || previous.endedAt === null || endedAt > previous.endedAt;
  const lists = project.crawls.filter((one) => one.hasPages && isList(one) && isLater(one));
  return { project, crawl, previous, sources: isList(crawl) ? [crawl] : [crawl, ...lists] };
}

function seenIn({ sources }: Pair, url: string): Seen | null {
  const isDecisive = (status: number | null): boolean =>
    within(status, 200, 399) || status === 404 || status === 410;
  const answers = sources.flatMap((crawl): Seen[] => {
    const [page, request] = [crawl.byUrl.get(url), requestsOf(crawl).get(url)];
    return [
      ...(page === undefined
        ? []
        : [
            {
              crawl,
              page,
              status: page.status,
              evidence: isList(crawl) ? 'list_crawl' : 'crawl',
              reason: observationReason(page),
              isDecisive: isDecisive(page.status),
              isNoindex: page.isNoindex === true,
              isCanonicalised: page.isCanonicalised,
            },
          ]),
      ...(request === undefined
        ? []
        : [{ crawl, page: null, evidence: 'recheck', ...request, isDecisive: isDecisive(request.status) }]),
    ];
  });
  const [first] = answers.toSorted(
    (a, b) =>
      Number(b.isDecisive) - Number(a.isDecisive) ||
      (b.crawl.endedAt ?? -Infinity) - (a.crawl.endedAt ?? -Infinity) ||
      byBytes(a.evidence, b.evidence) ||
      byBytes(b.crawl.id, a.crawl.id),
  );
  return first ?? null;
}

function oldUrls({ project, crawl, previous }: Pair, { urls }: Asked): Set<string> {
  if (urls !== undefined) return new Set(urls.split(/\s+/));
  if (isList(crawl))
    return new Set(
      crawl.allPages
        .filter(({ row }) => list(row, 'sources')?.includes('ingested_data'))
        .map(({ url }) => url),
    );
  if (previous === null) return new Set();
  const clicked = [...demandOfCrawl(project, previous).values()].filter(({ clicks }) => clicks > 0);
  return new Set(
    [...previous.allPages.filter(({ status }) => status === 200), ...clicked].map(({ url }) => url),
  );
}

interface Led {
  readonly url: string;
  readonly seen: Seen | null;
  readonly chain: Trail | null;
  readonly target: Seen | null;
  readonly former: Page | undefined;
  readonly newStatus: number | null;
}

function ledOf(pair: Pair, url: string): Led {
  const seen = seenIn(pair, url);
  const chain = seen && trailOf(seen, url);
  const target = chain && seenIn(pair, chain.finalUrl);
  const newStatus = chain?.finalStatus === 200 ? 200 : (target?.status ?? chain?.finalStatus ?? null);
  return { url, seen, chain, target, newStatus, former: pair.previous?.byUrl.get(url) };
}

const pathOf = (url: string): string =>
  url
    .replace(/#.*$/, '')
    .toLowerCase()
    .replace(/^https?:\/\/[^/?]*/, '');
const pageOf = (url: string): string => pathOf(url.replace(/\?.*$/, '')).replace(/\/+$/, '');
const isStart = (page: string): boolean =>
  /^(\/[a-z]{2}([-_][a-z]{2})?)?(\/(index|default|home|start|main)?(\.[a-z]+)?)?$/.test(page);

/** The language that a page declares for itself. */
function ownLanguage(page: Page | undefined): string | null {
  const hrefs = list(page?.row, 'hreflang_hrefs') ?? [];
  const langs = list(page?.row, 'hreflang_langs') ?? [];
  if (page === undefined || hrefs.length !== langs.length) return null;
  const own = langs.filter((lang, n) => hrefs[n] === page.url && lang.toLowerCase() !== 'x-default');
  return own.map((lang) => lang.replace(/-.*$/, '').toLowerCase()).toSorted(byBytes)[0] ?? null;
}

function localeOf(url: string): string | null {
  const [host = '', directory = ''] = url.replace(/^.*?:\/\//, '').split('/');
  const locale = [directory, host.split('.')[0] ?? ''].find((one) => /^[a-z]{2}([-_][a-z]{2})?$/i.test(one));
  return locale?.slice(0, 2).toLowerCase() ?? null;
}

function isOtherLanguage({ url, former, target, chain }: Led): boolean {
  const page = target?.page ?? undefined;
  const language = (page: Page | undefined): string | null =>
    str(page?.row, 'language')?.toLowerCase() ?? null;
  const pairs = [
    [ownLanguage(former), ownLanguage(page)],
    [language(former), language(page)],
    [localeOf(url), localeOf(chain?.finalUrl ?? '')],
  ];
  const known = pairs.find(([before, after]) => before !== null && after !== null);
  return known !== undefined && known[0] !== known[1];
}

function findingOf(led: Led, oldPages: number): string {
  const { url, seen, chain, target, newStatus } = led;
  if (seen?.isDecisive !== true) return 'not_known';
  if (chain === null) return 'not_redirected';
  if (chain.isLoop) return 'loop';
  const isUnknown =
    newStatus === null
      ? !['no_answer', 'unreadable'].includes(target?.reason ?? '')
      : REFUSALS.includes(newStatus);
  if (isUnknown) return 'not_known';
  if (newStatus !== 200 || target?.isNoindex === true) return 'bad_target';
  if (['', '/'].includes(pathOf(chain.finalUrl)) && !isStart(pageOf(url))) return 'to_start_page';
  if (oldPages >= MANY) return 'many_to_one';
  if (isOtherLanguage(led)) return 'other_language';
  if (target?.isCanonicalised === true) return 'canonicalised';
  if (chain.isTemporary) return 'temporary_redirect';
  return chain.hops > 1 ? 'chain' : 'ok';
}

function reasonOf({ seen, target, newStatus }: Led, finding: string): string | null {
  if (seen?.isDecisive !== true) return seen?.reason ?? 'not_requested';
  if (finding === 'not_known') return `target_${target?.reason ?? 'not_requested'}`;
  if (finding === 'not_redirected') return seen.reason;
  if (finding !== 'bad_target') return null;
  return newStatus === 200 ? 'noindex' : (target?.reason ?? null);
}

/** Clicks on a URL before and after, on as many days. */
interface Clicks {
  readonly daysBefore: number | null;
  readonly daysAfter: number | null;
  readonly why: string | null;
  readonly all: (url: string) => number | null;
  readonly before: (url: string) => number | null;
  readonly after: (url: string) => number | null;
}

function clicksOf({ project, crawl, previous }: Pair): Clicks {
  const former = previous === null ? null : searchSpan(project, previous);
  const span = searchSpan(project, crawl);
  const demand = (of: CrawlFacts | null) => (url: string) =>
    of === null ? 0 : (demandOfCrawl(project, of).get(url)?.clicks ?? 0);
  const none = (): null => null;
  if (former === null) {
    const why = 'no search results of the days of the previous crawl';
    // Whether the days overlap is not known.
    return { daysBefore: null, daysAfter: null, why, all: none, before: none, after: none };
  }
  const all = demand(previous);
  const shift = span === null ? 0 : 7 * Math.ceil(daysBetween(former.to, span.to) / 7);
  const after = (span?.days ?? []).filter(
    (day) => day > former.to && former.days.includes(addDays(day, -shift)),
  );
  const before = after.map((day) => addDays(day, -shift));
  const on = (of: CrawlFacts | null, days: readonly string[]) => (url: string) =>
    sum(
      searchesOf(project, of)
        .filter((row) => row.url === url && days.includes(row.day))
        .map(({ clicks }) => clicks),
    );
  if (after.length > 0)
    return {
      daysBefore: before.length,
      daysAfter: after.length,
      why: null,
      all,
      before: on(previous, before),
      after: on(crawl, after),
    };
  const isApart = span !== null && span.from > former.to;
  const [daysBefore, daysAfter] = [former.days.length, isApart ? span.days.length : null];
  const why =
    daysAfter === null
      ? `no search results after ${former.to}`
      : daysAfter === daysBefore
        ? null
        : `days with search results: ${daysAfter}, before: ${daysBefore}`;
  return { daysBefore, daysAfter, why, all, before: all, after: isApart ? demand(crawl) : none };
}

export const q24 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ project, crawl }) => {
    const pair = pairOf(project, crawl);
    const isEvery = asked.urls !== undefined || isList(crawl);
    if (!isEvery && pair.previous === null) return [];
    const led = [...oldUrls(pair, asked)]
      .map((url) => ledOf(pair, url))
      .filter(({ seen }) => isEvery || seen?.status !== 200 || seen.evidence === 'recheck');
    const byTarget = Map.groupBy(
      led.filter(({ chain }) => chain !== null),
      ({ chain }) => chain?.finalUrl,
    );
    const clicks = clicksOf(pair);
    return led.map((one) => {
      const { url, seen, chain, target, former } = one;
      const newUrl = chain?.finalUrl ?? null;
      const oldPages =
        newUrl === null ? null : new Set(byTarget.get(newUrl)?.map((other) => pageOf(other.url))).size;
      const finding = findingOf(one, oldPages ?? 0);
      const [title, newTitle] = [str(former?.row, 'title'), str(target?.page?.row, 'title')];
      const isCanonicalised = target?.isCanonicalised ?? null;
      const [before, after] = [clicks.before(url), clicks.after(url)];
      const other = newUrl === url ? null : newUrl;
      const newBefore = newUrl === null || before === null ? null : other === null ? 0 : clicks.before(other);
      const both = after === null ? null : after + (other === null ? 0 : (clicks.after(other) ?? 0));
      const atRisk = clicks.all(url);
      const isAway = within(seen?.status ?? null, 300, 399);
      return {
        ...named(crawl),
        previous_crawl_id: pair.previous?.id ?? null,
        finding,
        reason: reasonOf(one, finding),
        old_url: url,
        status_code: seen?.status ?? null,
        evidence: seen?.evidence ?? null,
        evidence_crawl_id: seen?.crawl.id ?? null,
        hops: chain?.hops ?? (seen?.isDecisive === true && !isAway ? 0 : null),
        is_temporary: chain?.isTemporary ?? null,
        new_url: newUrl,
        new_status_code: one.newStatus,
        old_pages: oldPages,
        is_title_kept: title === null || newTitle === null ? null : title === newTitle,
        is_canonical_kept: isCanonicalised === null ? null : !isCanonicalised,
        clicks_at_risk: atRisk === null ? null : finding === 'ok' ? 0 : atRisk,
        clicks_before: before,
        new_url_clicks_before: newBefore,
        clicks_after: both,
        days_before: clicks.daysBefore,
        days_after: clicks.daysAfter,
        clicks_change:
          before === null || both === null || clicks.daysBefore !== clicks.daysAfter
            ? null
            : both - before - (newBefore ?? 0),
        clicks_change_reason: clicks.why,
      };
    });
  });
