import type { Row } from '../sites/sites.ts';
import { demandOfCrawl, searchesOf } from './crawl-days.ts';
import type { CrawlFacts } from './crawls.ts';
import {
  type Asked,
  crawlAsked,
  crawlsAsked,
  type Facts,
  inDays,
  inSegment,
  named,
  projectsAsked,
} from './facts.ts';
import { originPages } from './pages-of-crawl.ts';
import { clicksOf, type Demand, impressionsOf, positionOf, type Search } from './searches.ts';
import { byBytes, groups, list, median, ordered, percent, rounded, str, sum } from './values.ts';

const tenths = (value: number | null): number | null => (value === null ? null : rounded(value, 1));

/** Ten positions stand for themselves, the ten after them together, and all others together. */
function positionClass(position: number): number {
  const whole = Math.floor(position + 0.5);
  if (whole >= 1 && whole <= 10) return whole;
  return whole >= 11 && whole <= 20 ? 11 : 0;
}

/** Expected clicks of each URL with impressions, and whether it has much fewer. */
function expectations(demand: ReadonlyMap<string, Demand>, recent: readonly Search[]) {
  const shown = [...demand.values()].filter(({ impressions }) => impressions > 0);
  const urls = new Set(shown.map(({ url }) => url));
  const rows = recent.filter(({ url, position }) => position !== null && urls.has(url ?? ''));
  const rates = new Map(
    [...Map.groupBy(rows, ({ position }) => positionClass(position ?? 0))].map(([at, some]) => [
      at,
      clicksOf(some) / impressionsOf(some),
    ]),
  );
  const byUrl = Map.groupBy(rows, ({ url }) => url);
  return shown.map((one) => {
    const placed = (byUrl.get(one.url) ?? []).filter(({ impressions }) => impressions > 0);
    const expected =
      placed.length === 0
        ? null
        : rounded(
            sum(
              placed.map(
                ({ position, impressions }) => impressions * (rates.get(positionClass(position ?? 0)) ?? 0),
              ),
            ),
            6,
          );
    const ahead = shown.filter(({ impressions }) => impressions > one.impressions).length;
    const isAmongFirst = shown.length === 1 || ahead / (shown.length - 1) < 0.1;
    return {
      ...one,
      expectedPercent: expected === null ? null : percent(expected, one.impressions, 2),
      isLow: isAmongFirst && expected !== null && one.clicks < expected / 2,
    };
  });
}

export const q18 = (facts: Facts, asked: Asked): Row[] =>
  projectsAsked(facts, asked).flatMap((project) => {
    const crawl = crawlAsked(project, asked);
    return expectations(demandOfCrawl(project, crawl), searchesOf(project, crawl)).flatMap((one) => {
      const page = crawl?.byUrl.get(one.url);
      if (!inSegment(page, asked)) return [];
      const ofCrawl = (): string | false => {
        if (!page) return 'demand on a URL that the crawl does not know';
        if (page.status !== null && page.status !== 200) return 'demand on a URL that is not 200';
        return page.isIndexable === false && 'demand on a URL that is not indexable';
      };
      const finding = (crawl && ofCrawl()) || (one.isLow && 'many impressions, low CTR');
      if (!finding) return [];
      return [
        {
          project_name: project.name,
          project_id: project.id,
          crawl_config_name: crawl?.config?.name ?? null,
          crawl_id: crawl?.id ?? null,
          finding,
          url: one.url,
          status_code: page?.status ?? null,
          impressions: one.impressions,
          clicks: one.clicks,

          ctr_percent: percent(one.clicks, one.impressions, 2),
          expected_ctr_percent: one.expectedPercent,
          average_position: tenths(one.position),
          top_query: one.topQuery,
        },
      ];
    });
  });

export const q19 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ project, crawl }) => {
    const indexable = crawl.allPages.filter(({ isIndexable }) => isIndexable === true);
    const ofAll = median(indexable.map(({ inlinks }) => inlinks));
    const depths = median(indexable.map(({ depth }) => depth));
    return indexable
      .filter((page) => inSegment(page, asked))
      .flatMap((page) => {
        const demand = demandOfCrawl(project, crawl).get(page.url);
        if (!demand || demand.clicks <= 0) return [];
        const peers = indexable.filter(({ depth }) => depth !== null && depth === page.depth);
        const usual = median(peers.map(({ inlinks }) => inlinks)) ?? ofAll;
        const isUnderLinked = page.inlinks === null || usual === null ? null : page.inlinks < usual / 2;
        const isDeep = page.depth === null || depths === null ? null : page.depth > depths + 1;
        if (isUnderLinked !== true && isDeep !== true) return [];
        return [
          {
            ...named(crawl),
            url: page.url,
            is_under_linked: isUnderLinked,
            is_deep: isDeep,
            clicks: demand.clicks,
            impressions: demand.impressions,
            average_position: tenths(demand.position),
            top_query: demand.topQuery,
            nb_inlinks: page.inlinks,
            depth: page.depth,
            origin_pages: originPages(crawl, page.url),
          },
        ];
      });
  });

export const q27 = (facts: Facts, asked: Asked): Row[] =>
  projectsAsked(facts, asked).flatMap((project) => {
    const { id, name, searches, main } = project;
    const isAsked = asked.from !== undefined || asked.to !== undefined;
    const days = isAsked ? searches.rows.filter(({ day }) => inDays(day, asked)) : searchesOf(project, main);
    const rows = days.filter((row) => row.query !== null && row.url !== null && row.impressions > 0);
    return groups(rows, ({ query }) => [query]).flatMap((ofQuery) => {
      const all = impressionsOf(ofQuery);
      const rivals = groups(ofQuery, ({ url }) => [url]).filter(
        (some) => (100 * impressionsOf(some)) / all >= (asked.numbers.min_percent ?? 0),
      );
      if (new Set(rivals.map(([row]) => versionOf(main, row?.url ?? ''))).size < 2) return [];
      const leaders = leadersOf(rivals.flat());
      const pages = leaders.map((leader) => versionOf(main, leader ?? ''));
      const changes = pages.filter((page, n) => n > 0 && page !== pages[n - 1]).length;
      return rivals.map((some) => ({
        project_name: name,
        project_id: id,
        query: ofQuery[0]?.query,
        query_impressions: all,
        urls: rivals.length,
        leader_changes: changes,
        url: some[0]?.url,
        impressions: impressionsOf(some),
        impressions_percent: percent(impressionsOf(some), all),
        clicks: clicksOf(some),
        average_position: tenths(positionOf(some)),
        days_as_leader: leaders.filter((leader) => leader === some[0]?.url).length,
      }));
    });
  });

/** What the language versions of a page have together. */
function versionOf(crawl: CrawlFacts | null, url: string): string {
  const page = crawl?.byUrl.get(url);
  const declared = list(page?.row, 'hreflang_hrefs') ?? [];
  return str(page?.row, 'hreflang_cluster_id') ?? ordered([url, ...declared])[0] ?? url;
}

/** The URL that leads on each day that shows one. */
const leadersOf = (rows: readonly Search[]): (string | null | undefined)[] =>
  groups(rows, ({ day }) => [day])
    .toSorted(([a], [b]) => byBytes(a?.day ?? '', b?.day ?? ''))
    .map((ofDay) => {
      const [leader] = groups(ofDay, ({ url }) => [url]).toSorted(
        (a, b) =>
          impressionsOf(b) - impressionsOf(a) ||
          clicksOf(b) - clicksOf(a) ||
          byBytes(a[0]?.url ?? '', b[0]?.url ?? ''),
      );
      return leader?.[0]?.url;
    });
