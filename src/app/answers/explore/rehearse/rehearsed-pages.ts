import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { AtStake } from './at-stake.ts';
import type { CrawlGraph } from './crawl-graph.ts';
import { reachPages, seedsOf } from './reach-pages.ts';
import { CHANGES, type Effect, type UrlChange } from './rehearsed-change.ts';

const NAMES = Object.keys(CHANGES) as UrlChange[];

export const RehearsedPage = z.strictObject({
  url: z.string(),
  change: z.enum(NAMES),
  /** The robots that lose or gain it; null if it is not about robots. */
  agents: z.string().nullable(),
  is_in_crawl: z.boolean(),
  /** `indexable`, or the reason why it is not; null: unknown. */
  state_before: z.string().nullable(),
  state_after: z.string().nullable(),
  /** Clicks from the start page; null: no link of the crawl leads there, or it is unknown. */
  depth_before: z.number().nullable(),
  depth_after: z.number().nullable(),
  /** Null: unknown. */
  clicks: z.number().nullable(),
  impressions: z.number().nullable(),
  hits: z.number().nullable(),
});
export type RehearsedPage = Typed<typeof RehearsedPage>;

interface Rehearsed {
  readonly graph: CrawlGraph;
  readonly stake: AtStake;
  readonly effect: Effect;
  /** Whether the crawl read the links of the whole website. */
  readonly hasLinks: boolean;
}

/**
 * Returns the URLs that a change affects.
 *
 * @returns also the number of pages whose depth the links do not explain, and of pages that get a path and have links to
 *   URLs that the crawl did not read
 */
export function rehearsedPages({ graph, stake, effect, hasLinks }: Rehearsed) {
  const { changed, urls } = effect;
  const { pages, numberOf, outside, nextOf } = graph;
  const seeds = seedsOf(pages.map(({ depth }) => depth));
  const before = reachPages(pages.length, seeds, nextOf);
  const nextAfter = (page: number): Iterable<number> => changed.get(page)?.next ?? nextOf(page);
  const after = reachPages(pages.length + outside.length, before.needed, nextAfter).depths;
  const depthOf = (depths: Int32Array, page: number | undefined): number | null => {
    const depth = page === undefined || !hasLinks ? -1 : (depths[page] ?? -1);
    return depth < 0 ? null : depth;
  };
  const foundOf = (figures: ReadonlyMap<string, number | null>, url: string): number | null => {
    const found = figures.get(url);
    return stake.clicks.covered === null ? null : found === undefined ? 0 : found;
  };
  const hitsOf = (url: string): number | null =>
    stake.hits.covered === null
      ? null
      : (stake.hits.of
          .get(url)
          ?.values()
          .reduce((sum, hits) => sum + hits, 0) ?? 0);
  const stateAfter = (page: number): string | null => {
    const change = changed.get(page);
    return change === undefined ? (pages[page]?.state ?? null) : change.state;
  };
  const outsideNumbers = new Map(outside.map((url, place) => [url, pages.length + place]));
  const rowOf = (url: string, change: UrlChange): RehearsedPage => {
    const page = numberOf.get(url) ?? outsideNumbers.get(url);
    return {
      url,
      change,
      agents: null,
      is_in_crawl: numberOf.has(url),
      state_before: page === undefined ? null : (pages[page]?.state ?? null),
      state_after: page === undefined ? null : stateAfter(page),
      depth_before: depthOf(before.depths, page),
      depth_after: depthOf(after, page),
      clicks: foundOf(stake.clicks.of, url),
      impressions: foundOf(stake.impressions, url),
      hits: hitsOf(url),
    };
  };
  const direct = urls.map(({ url, change, agents, hits }) => {
    const row = rowOf(url, change);
    return { ...row, agents: agents?.join(', ') ?? null, hits: hits === undefined ? row.hits : hits };
  });
  const byLinks = pages.flatMap(({ url, sitemaps }, page): RehearsedPage[] => {
    if (changed.get(page)?.isGone) return [];
    const row = rowOf(url, 'deeper');
    const { depth_before: was, depth_after: is } = row;
    if (was === is) return [];
    if (was === null) return [{ ...row, change: 'linked' }];
    if (is !== null) return [{ ...row, change: is > was ? 'deeper' : 'shallower' }];
    const isListed = sitemaps !== null && sitemaps !== '';
    const isKnown = isListed || Number(row.clicks) > 0 || Number(row.hits) > 0;
    return [
      { ...row, change: isKnown ? 'orphan' : 'unreachable', state_after: isListed ? row.state_after : null },
    ];
  });
  const unexplained = [...before.needed].reduce((sum, [depth, own]) => sum + (depth > 1 ? own.length : 0), 0);
  const leadingOut = byLinks.filter(
    ({ url, change }) => change === 'linked' && graph.leadingOut.has(numberOf.get(url) ?? -1),
  ).length;
  return { rows: [...direct, ...byLinks].sort(byImportance), unexplained, leadingOut };
}

/** The order of the changes, then the most clicks and hits first. */
function byImportance(a: RehearsedPage, b: RehearsedPage): number {
  return (
    NAMES.indexOf(a.change) - NAMES.indexOf(b.change) ||
    Number(b.clicks) - Number(a.clicks) ||
    Number(b.hits) - Number(a.hits) ||
    (a.url < b.url ? -1 : 1)
  );
}
