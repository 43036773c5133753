import type { Row } from '../sites/sites.ts';
import { hasAllLinks, observationReason } from './comparison.ts';
import { demandOfCrawl, logSpan } from './crawl-days.ts';
import type { CrawlFacts } from './crawls.ts';
import { type Asked, crawlsAsked, type Facts, inSegment, named, type ProjectFacts } from './facts.ts';
import { isFile, type Page, within } from './pages.ts';
import { bool, byBytes, isKnown, list, num, once } from './values.ts';
import { urlDaysOf } from './visits.ts';

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

const hasDepths = once(({ allPages }: CrawlFacts): boolean => allPages.some(({ depth }) => depth !== null));

const hasStructure = once(({ allPages }: CrawlFacts): boolean =>
  allPages.some(({ depth, inlinks }) => depth !== null || inlinks !== null),
);

const EXTENSIONS =
  'css js mjs map json webmanifest xml rss atom png jpg jpeg gif webp avif svg ico bmp tif tiff woff woff2 ttf otf eot';
const RESOURCES = new Set(EXTENSIONS.split(' '));

/** A file that pages are made of, or a feed, by its name. */
function hasResourceName(url: string): boolean {
  const path = (url.split(/[?#]/, 1)[0] ?? '').toLowerCase().replace(/\/$/, '');
  return RESOURCES.has(/[.]([^.]*)$/.exec(path)?.[1] ?? '') || /\/(feed|rss|atom)$/.test(path);
}

/** What is no page by its kind; without one, what has such a name and was not read as a page. */
export function isResource(url: string, row: Row): boolean {
  if (isKnown(row.content_kind)) return isFile(row);
  return hasResourceName(url) && !isKnown(row.title) && !isKnown(row.word_count);
}

/** Whether a crawl may have such an orphan that is no page of it. */
export function isUnknownOrphan(crawl: CrawlFacts, url: string): boolean {
  return hasAllLinks(crawl) && hasStructure(crawl) && !hasResourceName(url);
}

/** A page that no link of the site's structure leads to. */
export function isOrphan(crawl: CrawlFacts, { depth, inlinks, url, row }: Page): boolean {
  if (isResource(url, row) || !hasAllLinks(crawl)) return false;
  if (inlinks !== 0 && (depth !== null || !hasDepths(crawl))) return false;
  const isStart = crawl.startUrl !== null && withoutSlash(url) === withoutSlash(crawl.startUrl);
  const isFound = (list(row, 'sources') ?? []).some((source) => /crawler/i.test(source));
  return depth !== 0 && !isStart && !isFound;
}

function reasonOf({ inlinks, row }: Page): string {
  const sources = list(row, 'sources') ?? [];
  if ((inlinks ?? 0) > 0) return 'linked_by_orphans_only';
  if (sources.length === 1 && /sitemap/i.test(sources[0] ?? '')) return 'only_in_sitemap';
  return inlinks === 0 ? 'no_inlinks' : 'not_reached';
}

/** Whether an orphan answers, by its status, and why there is none; null where that is unknown. */
function stateOf(status: number | null, reason: string | null): string | null {
  if (status === 404 || status === 410) return 'gone';
  if (within(status, 300, 399)) return 'moved';
  if (reason === 'blocked_by_robots') return 'blocked';
  if (status !== null && [401, 403, 429, 503].includes(status)) return 'refused';
  if (reason === 'not_fetched' || reason === 'robots_unavailable') return null;
  return reason === null ? 'live' : 'unreadable';
}

function stateOfPage(page: Page): string | null {
  const reason = observationReason(page);
  const isKnownPage = page.status !== null || reason !== null || bool(page.row, 'fetched') === true;
  return isKnownPage ? stateOf(page.status, reason) : null;
}

/** By what the crawl requested at its end. */
function stateOfRecheck(row: Row): string | null {
  const [status, last] = [num(row, 'status_code'), num(row, 'final_redirect_status')];
  if (bool(row, 'robots_txt_denied') === true) return 'blocked';
  if (row.error === 'robots_unavailable') return null;
  if (within(status, 300, 399) && (last === 404 || last === 410)) return 'gone';
  return stateOf(status, within(status, 200, 299) ? null : 'other');
}

/** By the last request in log files: a page that did not change answers 304. */
const stateOfLog = (status: number | null): string | null =>
  status === null
    ? null
    : status === 304
      ? 'live'
      : stateOf(status, within(status, 200, 299) ? null : 'other');

interface Unknown {
  readonly url: string;
  readonly reason: string;
  readonly state: string | null;
  readonly status: number | null;
  readonly isIndexable: boolean | null;
}

/** URLs that are no pages of a crawl and that log files or search results know. */
function unknownTo(project: ProjectFacts, crawl: CrawlFacts): Unknown[] {
  const days = urlDaysOf(project, crawl);
  const logDays = new Set(logSpan(project, crawl)?.days);
  const bots = project.logs.botHits.filter((hit) => logDays.has(hit.day) && hit.botClass === 'search');
  const logged = new Set(
    [...bots, ...days.filter(({ seoVisits }) => (seoVisits ?? 0) > 0)].map(({ url }) => url),
  );
  const searched = [...demandOfCrawl(project, crawl).values()].filter(({ impressions }) => impressions > 0);
  const shown = new Set(searched.map(({ url }) => url));
  const rechecks = new Map(
    (crawl.requests?.rows ?? []).filter(({ kind }) => kind === 'recheck').map((row) => [row.url, row]),
  );
  return [...new Set([...logged, ...shown])]
    .filter((url) => !crawl.byUrl.has(url) && isUnknownOrphan(crawl, url))
    .map((url) => {
      const told = days.filter((one) => one.url === url && isKnown(one.lastStatus));
      const [last] = told.toSorted((a, b) => byBytes(b.day, a.day));
      const names = [...(logged.has(url) ? ['logs'] : []), ...(shown.has(url) ? ['search_results'] : [])];
      const recheck = rechecks.get(url);
      const found = recheck
        ? { state: stateOfRecheck(recheck), status: num(recheck, 'status_code') }
        : { state: stateOfLog(last?.lastStatus ?? null), status: last?.lastStatus ?? null };
      const isIndexable = recheck === undefined ? null : bool(recheck, 'is_indexable');
      return { url, reason: `only_in_${names.join('_and_')}`, ...found, isIndexable };
    });
}

export const q03 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ project, crawl }) => {
    const demand = demandOfCrawl(project, crawl);
    const row = ({ url, reason, state, status, isIndexable }: Unknown, page?: Page): Row => ({
      ...named(crawl),
      url,
      reason,
      sources: page ? list(page.row, 'sources') : null,
      state,
      status_code: status,
      is_indexable: isIndexable,
      depth: page?.depth ?? null,
      nb_inlinks: page?.inlinks ?? null,
      clicks: demand.get(url)?.clicks ?? null,
      impressions: demand.get(url)?.impressions ?? null,
      top_query: demand.get(url)?.topQuery ?? null,
    });
    const pages = crawl.allPages.filter((page) => isOrphan(crawl, page) && inSegment(page, asked));
    const unknown = asked.segment === undefined ? unknownTo(project, crawl) : [];
    return [
      ...pages.map((page) => {
        const { url, status, isIndexable } = page;
        return row({ url, status, isIndexable, reason: reasonOf(page), state: stateOfPage(page) }, page);
      }),
      ...unknown.map((one) => row(one)),
    ];
  });
