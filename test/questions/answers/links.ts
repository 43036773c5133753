import type { Row } from '../sites/sites.ts';
import type { CrawlFacts } from './crawls.ts';
import { type Asked, crawlsAsked, type Facts, inSegment, isSegmentAsked, named } from './facts.ts';
import { type Page, segmentsOf, statusRange, within } from './pages.ts';
import { bool, distinct, groups, isKnown, num, once, ordered, percent, str, trueOf } from './values.ts';

export interface Link {
  readonly origin: string;
  readonly target: string;
  readonly anchor: string | null;
  readonly follow: boolean | null;
  readonly isInternal: boolean | null;
  /** Of its own, else of the page. */
  readonly status: number | null;
}

export const linksOf = once((crawl: CrawlFacts): readonly Link[] =>
  (crawl.links?.rows ?? []).map((row) => ({
    origin: String(row.origin),
    target: String(row.target),
    anchor: str(row, 'anchor'),
    follow: bool(row, 'follow'),
    isInternal: bool(row, 'intern') ?? sameHost(row),
    status: num(row, 'target_status') ?? crawl.byUrl.get(String(row.target))?.status ?? null,
  })),
);

const internalOf = once((crawl: CrawlFacts): readonly Link[] =>
  linksOf(crawl).filter(({ isInternal }) => isInternal === true),
);
const internalByTarget = once((crawl: CrawlFacts) => Map.groupBy(internalOf(crawl), ({ target }) => target));

function sameHost(row: Row): boolean | null {
  const host = (url: unknown): string | null => /^[^:/?#]+:\/\/([^/?#]+)/.exec(String(url))?.[1] ?? null;
  const [origin, target] = [host(row.origin), host(row.target)];
  return origin === null || target === null ? null : origin.toLowerCase() === target.toLowerCase();
}

/** The pages that hold links, counted, and up to ten of them. */
const holders = (links: readonly Link[]): { origin_pages: number; origins: string[] } => {
  const origins = ordered(links.map(({ origin }) => origin));
  return { origin_pages: origins.length, origins: origins.slice(0, 10) };
};

export const q01 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) => {
    const isMeant = (page: Page | undefined): page is Page =>
      page !== undefined &&
      (within(page.status, 300, 399) || statusRange(page.row) === 'redirect') &&
      num(page.row, 'final_redirect_status') === 404 &&
      inSegment(page, asked);
    const links = internalOf(crawl).filter(({ target }) => isMeant(crawl.byUrl.get(target)));
    return groups(links, ({ target, anchor }) => [target, anchor]).map((group) => ({
      ...named(crawl),
      target: group[0]?.target,
      final_redirect_location: str(crawl.byUrl.get(group[0]?.target ?? '')?.row, 'final_redirect_location'),
      anchor: group[0]?.anchor,
      links: group.length,
      ...holders(group),
    }));
  });

/**
 * The segments of a page that rows are by: its first directory, or those of the segmentation that is asked for; null
 * where it has none.
 */
function segmentsAsked(page: Page | undefined, { segmentation = '(directory)' }: Asked): (string | null)[] {
  if (segmentation === '(site)') return [page === undefined ? null : '(site)'];
  if (segmentation === '(directory)' || page === undefined) return [page?.firstPath ?? null];
  const own = segmentsOf(page).filter((one) => one.segmentation === segmentation);
  return own.length === 0 ? [null] : own.map(({ segment }) => segment);
}

/** Whether a page counts in the rows of one of its segments. */
const isAsked = (page: Page | undefined, segment: string | null, asked: Asked): boolean =>
  isSegmentAsked(asked, { segmentation: segmentationAsked(asked), segment }) ||
  (asked.segmentation === undefined && page !== undefined && inSegment(page, asked));

/** The pages of a crawl, each with the segments that rows are by; none of a crawl without the segmentation. */
export function pagesBySegment(
  crawl: CrawlFacts,
  asked: Asked,
): { readonly page: Page; readonly segment: string | null }[] {
  if (!hasSegmentation(crawl, asked)) return [];
  return crawl.allPages.flatMap((page) =>
    segmentsAsked(page, asked)
      .filter((segment) => isAsked(page, segment, asked))
      .map((segment) => ({ page, segment })),
  );
}

export function hasSegmentation({ allPages }: CrawlFacts, { segmentation }: Asked): boolean {
  if (segmentation === undefined) return true;
  if (segmentation === '(site)') return allPages.length > 0;
  if (segmentation === '(directory)') return allPages.some(({ firstPath }) => firstPath !== null);
  return allPages.some((page) => segmentsOf(page).some((one) => one.segmentation === segmentation));
}

export const segmentationAsked = ({ segmentation = '(directory)' }: Asked): string => segmentation;

export const q02 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) => {
    const led = internalOf(crawl).flatMap((link) => {
      const page = crawl.byUrl.get(link.target);
      return page ? segmentsOf(page).map((one) => ({ ...link, ...one })) : [];
    });
    const meant = led.filter((one) => isSegmentAsked(asked, one));
    return groups(meant, ({ segmentation, segment, anchor }) => [segmentation, segment, anchor]).map(
      (group) => ({
        ...named(crawl),
        segmentation: group[0]?.segmentation,
        segment: group[0]?.segment,
        anchor: group[0]?.anchor,
        links: group.length,
        follow_links: trueOf(group.map(({ follow }) => follow)),
        origin_pages: distinct(group.map(({ origin }) => origin)),
        target_pages: distinct(group.map(({ target }) => target)),
      }),
    );
  });

export const q08 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) => {
    const links = internalOf(crawl).filter(({ status }) => status === 404);
    const targets = groups(links, ({ target }) => [target])
      .toSorted((a, b) => b.length - a.length || (String(a[0]?.target) < String(b[0]?.target) ? -1 : 1))
      .slice(0, asked.numbers.targets);
    return targets.flatMap((target) =>
      groups(target, ({ origin }) => [origin]).map((ofOrigin) => ({
        ...named(crawl),
        target: target[0]?.target,
        internal_links: target.length,
        origin: ofOrigin[0]?.origin,
        links_on_page: ofOrigin.length,
        anchors: ordered(ofOrigin.map(({ anchor }) => anchor).filter(isKnown)),
      })),
    );
  });

export const isLoop = (page: Page): boolean =>
  bool(page.row, 'is_redirect_loop') === true || bool(page.row, 'is_too_many_redirects') === true;

export const q09 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) =>
    crawl.allPages
      .filter((page) => (num(page.row, 'redirect_count') ?? 0) > 1 || isLoop(page))
      .filter((page) => inSegment(page, asked))
      .map((page) => {
        const links = internalByTarget(crawl).get(page.url) ?? [];
        return {
          ...named(crawl),
          url: page.url,
          redirect_count: num(page.row, 'redirect_count'),
          is_redirect_loop: bool(page.row, 'is_redirect_loop'),
          final_redirect_location: str(page.row, 'final_redirect_location'),
          final_redirect_status: num(page.row, 'final_redirect_status'),
          ...(crawl.links
            ? { internal_links: links.length, ...holders(links) }
            : { internal_links: null, origin_pages: null, origins: null }),
        };
      }),
  );

export const q29 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) => {
    if (!hasSegmentation(crawl, asked)) return [];
    const links = internalOf(crawl).flatMap((link) => {
      const [origin, target] = [crawl.byUrl.get(link.origin), crawl.byUrl.get(link.target)];
      return segmentsAsked(origin, asked).flatMap((from) =>
        segmentsAsked(target, asked).map((to) => ({
          ...link,
          from,
          to,
          isMeant: isAsked(origin, from, asked) || isAsked(target, to, asked),
        })),
      );
    });
    const ofOrigin = Map.groupBy(links, ({ from }) => from);
    return groups(links, ({ from, to }) => [from, to]).flatMap((all) => {
      const group = all.filter(({ isMeant }) => isMeant);
      const [first] = group;
      if (!first) return [];
      return [
        {
          ...named(crawl),
          segmentation: segmentationAsked(asked),
          origin_segment: first.from,
          target_segment: first.to,
          links: group.length,
          links_percent: percent(group.length, ofOrigin.get(first.from)?.length ?? 0),
          follow_links: trueOf(group.map(({ follow }) => follow)),
          origin_pages: distinct(group.map(({ origin }) => origin)),
          target_pages: distinct(group.map(({ target }) => target)),
        },
      ];
    });
  });

interface Hop {
  readonly page: Page;
  readonly target: string;
}

/** The chain of redirects that begins with a page; null where it begins none. */
export interface Chain {
  readonly hops: readonly Hop[];
  readonly finalUrl: string;
  readonly finalStatus: number | null;
  readonly isLoop: boolean;
  readonly isCut: boolean;
}

const hopOf = (page: Page | undefined): Hop | null => {
  const target = str(page?.row, 'redirect_location');
  return page && within(page.status, 300, 399) && target !== null ? { page, target } : null;
};

export function chainOf(crawl: CrawlFacts, start: Page): Chain | null {
  const hops: Hop[] = [];
  let next = hopOf(start);
  while (next !== null && hops.length < 16) {
    hops.push(next);
    const { target } = next;
    if (hops.some(({ page }) => page.url === target)) break;
    next = hopOf(crawl.byUrl.get(target));
  }
  const last = hops.at(-1);
  if (!last) return null;
  const isLoop = hops.some(({ page }) => page.url === last.target);
  return {
    hops,
    finalUrl: last.target,
    finalStatus: crawl.byUrl.get(last.target)?.status ?? num(last.page.row, 'final_redirect_status'),
    isLoop,
    isCut: !isLoop && hops.length === 16 && hopOf(crawl.byUrl.get(last.target)) !== null,
  };
}

function findingOf({ hops, finalStatus, isLoop, isCut }: Chain): string {
  if (isLoop) return 'loop';
  if (isCut) return 'cut';
  if (finalStatus === null) return 'unknown';
  if (finalStatus !== 200) return 'dead_end';
  return hops.length > 1 ? 'chain' : 'single';
}

export const q23 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) =>
    crawl.allPages.flatMap((page) => {
      const chain = chainOf(crawl, page);
      if (!chain) return [];
      const links = internalByTarget(crawl).get(page.url) ?? [];
      const origins = ordered(links.map(({ origin }) => origin));
      return chain.hops.map((hop, n) => ({
        ...named(crawl),
        finding: findingOf(chain),
        url: page.url,
        hop: n + 1,
        hop_url: hop.page.url,
        hop_status_code: hop.page.status,
        hop_target: hop.target,
        hops: chain.hops.length,
        final_url: chain.finalUrl,
        final_status_code: chain.finalStatus,
        internal_links: crawl.links ? links.length : null,
        linking_pages: crawl.links ? origins.length : null,
        sample_origin: origins[0] ?? null,
      }));
    }),
  );
