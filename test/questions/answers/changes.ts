import type { Row } from '../sites/sites.ts';
import { comparisonOf, hasAllLinks, isAnswered, observationReason } from './comparison.ts';
import { type CrawlFacts, hasField } from './crawls.ts';
import { type Asked, allCrawls, crawlsAsked, type Facts, inSegment, named, placed } from './facts.ts';
import { type Page, REASONS, within } from './pages.ts';
import { byBytes, dayOf, groups, once, percent, str } from './values.ts';

interface Change {
  readonly url: string;
  readonly change: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly reason: string | null;
  readonly moved_to: string | null;
}

/** Fields of which both exports need one, for a reason to count. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  robots_denied: ['robots_txt_denied', 'fetch_status'],
  noindex: ['meta_robots_index', 'meta_robots'],
  canonicalised: ['canonical_evaluation', 'rel_canonical'],
  service: ['indexable'],
};

/** A page that stops answering has lost no title. */
const OF_ANSWER = ['title', 'h1', 'meta_description', 'rel_canonical'];

/** What changed on the pages since the previous crawl. */
export const changesOf = once((crawl: CrawlFacts): readonly Change[] => {
  const { previous } = crawl;
  if (previous === null) return [];
  const comparison = comparisonOf(crawl);
  const told = (fields: readonly string[]): boolean[] =>
    [crawl, previous].map(({ pages }) => hasField(pages, ...fields));
  const tellings = [['status_code'], ...Object.values(TELLING).filter(({ length }) => length > 0)].map(told);
  const isIndexabilityTold =
    tellings.every(([now, before]) => now === before) && tellings.flat().some(Boolean);
  const fields = [
    ...['status_code', 'title', 'h1', 'meta_description', 'rel_canonical'].filter((name) =>
      told([name]).every(Boolean),
    ),
    ...(isIndexabilityTold ? ['is_indexable'] : []),
  ];
  const isStatusTold = fields.includes('status_code');
  const text = (page: Page, name: string): string | null =>
    name === 'status_code'
      ? (page.status?.toString() ?? null)
      : name === 'is_indexable'
        ? (page.isIndexable?.toString() ?? null)
        : str(page.row, name);
  const whole = [...comparison.values()].flatMap((one): Change[] => {
    const { url, comparison: kind, reason, movedTo, isObservedBefore } = one;
    if (kind === 'unseen' || (kind === 'missing' && !isObservedBefore)) return [];
    const isRemoved = kind === 'gone' || kind === 'merged';
    const change = isRemoved ? 'removed' : kind;
    return [{ url, change, before: null, after: null, reason: isRemoved ? kind : reason, moved_to: movedTo }];
  });
  /** Whether both crawls saw what a field tells of a page. */
  const isTold = (field: string, former: Page, page: Page): boolean => {
    const how = comparison.get(page.url);
    const isRead = how === undefined || (how.isObserved && how.isObservedBefore);
    if (field === 'status_code') return isRead || (former.status !== null && page.status !== null);
    if (field !== 'is_indexable') return isRead;
    return isAnswered(former) && (isAnswered(page) || observationReason(page) === 'blocked_by_robots');
  };
  return [
    ...whole,
    ...crawl.allPages.flatMap((page) => {
      const former = previous.byUrl.get(page.url);
      if (!former) return [];
      return fields
        .filter((change) => isTold(change, former, page))
        .map((change) => ({
          url: page.url,
          change,
          before: text(former, change),
          after: text(page, change),
          reason: null,
          moved_to: null,
        }))
        .filter(({ before, after }) => before?.normalize() !== after?.normalize())
        .filter(
          ({ change }) => !OF_ANSWER.includes(change) || !isStatusTold || former.status === page.status,
        );
    }),
  ];
});

/** A page that was removed, moved or is missing counts where the previous crawl had it. */
const changesIn = (crawl: CrawlFacts, asked: Asked): readonly Change[] =>
  changesOf(crawl).filter(({ url, change }) =>
    inSegment(
      (['removed', 'moved', 'missing'].includes(change) ? crawl.previous : crawl)?.byUrl.get(url),
      asked,
    ),
  );

export const q06 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) =>
    changesOf(crawl).map((change) => ({ ...named(crawl), previous_crawl_id: crawl.previous?.id, ...change })),
  );

export const q06ByCrawl = (facts: Facts, asked: Asked): Row[] =>
  allCrawls(facts, asked).flatMap(({ crawl }) =>
    groups(changesIn(crawl, asked), ({ change }) => [change]).map((group) => ({
      ...placed(crawl),
      previous_crawl_id: crawl.previous?.id,
      change: group[0]?.change,
      pages: group.length,
    })),
  );

function lossOf(crawl: CrawlFacts, page: Page): string | null {
  if (!isAnswered(page) && observationReason(page) !== 'blocked_by_robots') return null;
  const tells = (reason: string): boolean => {
    // mart.pages tells of a refresh by its reason alone.
    const isRefresh = reason === 'redirect' && !within(page.status, 300, 399);
    const fields = isRefresh ? ['meta_refresh_delay'] : (TELLING[reason] ?? ['status_code']);
    if (isRefresh && page.reason !== reason) return false;
    const both = [crawl.pages, crawl.previous?.pages];
    return fields.length === 0 || both.every((data) => hasField(data, ...fields));
  };
  const reason = REASONS.find(([name, holds]) => tells(name) && holds(page.row, page))?.[0];
  return reason !== undefined && (reason !== 'service' || page.reason === 'service') ? reason : null;
}

export const q07 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) =>
    crawl.allPages
      .filter((page) => inSegment(page, asked))
      .flatMap((page) => {
        const former = crawl.previous?.byUrl.get(page.url);
        if (former?.isIndexable !== true) return [];
        const reason = lossOf(crawl, page);
        if (reason === null) return [];
        return [
          {
            ...named(crawl),
            url: page.url,
            reason,
            status_code_before: former.status,
            status_code: page.status,
            is_noindex_before: former.isNoindex,
            is_noindex: page.isNoindex,
            is_robots_denied_before: former.isRobotsDenied,
            is_robots_denied: page.isRobotsDenied,
            canonical_url_before: former.canonicalUrl,
            canonical_url: page.canonicalUrl,
          },
        ];
      }),
  );

export const q11 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ crawl }) => {
    const hasDepths = crawl.allPages.some(({ depth }) => depth !== null);
    return (crawl.previous?.allPages ?? [])
      .filter((former) => inSegment(former, asked))
      .flatMap((former) => {
        const page = crawl.byUrl.get(former.url);
        const less = (a: number | null, b: number | null): boolean => a !== null && b !== null && a < b;
        const how = comparisonOf(crawl).get(former.url);
        const ofLinks = (): string | false => {
          if (!page || !hasAllLinks(crawl)) return false;
          if (former.depth !== null && page.depth === null && hasDepths) return 'left the structure';
          if (less(former.depth, page.depth)) return 'deeper';
          return less(page.inlinks, former.inlinks) && 'fewer inlinks';
        };
        const finding =
          how?.comparison === 'gone'
            ? 'gone'
            : how?.comparison === 'moved' || how?.comparison === 'merged'
              ? 'moved'
              : page
                ? ofLinks()
                : 'missing';
        if (!finding) return [];
        return [
          {
            ...named(crawl),
            url: former.url,
            finding,
            moved_to: how?.movedTo ?? null,
            reason: how?.comparison === 'missing' && !page ? how.reason : null,
            inrank_before: former.inrank,
            inrank: page?.inrank ?? null,
            nb_inlinks_before: former.inlinks,
            nb_inlinks: page?.inlinks ?? null,
            depth_before: former.depth,
            depth: page?.depth ?? null,
          },
        ];
      });
  });

const reasonsOf = (crawl: CrawlFacts, asked: Asked): Map<string | null, Page[]> =>
  Map.groupBy(
    crawl.allPages.filter((page) => inSegment(page, asked)),
    ({ reason }) => reason,
  );

export const q22 = (facts: Facts, asked: Asked): Row[] =>
  allCrawls(facts, asked)
    .filter(({ crawl }) => endedIn(crawl, asked))
    .flatMap(({ crawl }) => {
      const reasons = reasonsOf(crawl, asked);
      const before = crawl.previous && reasonsOf(crawl.previous, asked);
      const all = [...reasons.values()].flat().length;
      return [...reasons].flatMap(([reason, pages]) =>
        reason === null
          ? []
          : [
              {
                ...placed(crawl),
                reason,
                pages: pages.length,
                pages_percent: percent(pages.length, all),
                pages_change: before ? pages.length - (before.get(reason)?.length ?? 0) : null,
                sample_url: pages.map(({ url }) => url).toSorted(byBytes)[0],
              },
            ],
      );
    });

/** Whether a crawl ended in the days that are asked for. */
export function endedIn({ endedAt }: CrawlFacts, { from, to }: Asked): boolean {
  if (from === undefined && to === undefined) return true;
  if (endedAt === null) return false;
  const day = dayOf(endedAt);
  return (from === undefined || day >= from) && (to === undefined || day < to);
}
