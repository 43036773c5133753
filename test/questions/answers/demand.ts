import type { Row } from '../sites/sites.ts';
import { changesOf } from './changes.ts';
import { demandOfCrawl, searchesOf, searchSpan } from './crawl-days.ts';
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
import { clicksOf, type Demand, impressionsOf, positionOf, rankingDays, type Search } from './searches.ts';
import {
  addDays,
  byBytes,
  dayOf,
  groups,
  list,
  median,
  ordered,
  percent,
  rounded,
  str,
  sum,
} from './values.ts';

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
          ...{ project_name: project.name, project_id: project.id },
          ...{ crawl_config_name: crawl?.config?.name ?? null, crawl_id: crawl?.id ?? null },
          ...{ finding, url: one.url, status_code: page?.status ?? null },
          ...{ impressions: one.impressions, clicks: one.clicks },
          ...{
            ctr_percent: percent(one.clicks, one.impressions, 2),
            expected_ctr_percent: one.expectedPercent,
          },
          ...{ average_position: tenths(one.position), top_query: one.topQuery },
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
            ...{ url: page.url, is_under_linked: isUnderLinked, is_deep: isDeep },
            ...{ clicks: demand.clicks, impressions: demand.impressions },
            ...{ average_position: tenths(demand.position), top_query: demand.topQuery },
            ...{ nb_inlinks: page.inlinks, depth: page.depth, origin_pages: originPages(crawl, page.url) },
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
        ...{ project_name: name, project_id: id, query: ofQuery[0]?.query, query_impressions: all },
        ...{ urls: rivals.length, leader_changes: changes, url: some[0]?.url },
        ...{ impressions: impressionsOf(some), impressions_percent: percent(impressionsOf(some), all) },
        ...{ clicks: clicksOf(some), average_position: tenths(positionOf(some)) },
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

export const q28 = (facts: Facts, asked: Asked): Row[] =>
  projectsAsked(facts, asked).flatMap((project) => {
    const { searches, main } = project;
    const crawl = crawlAsked(project, asked);
    const { to } = asked;
    const last =
      to === undefined
        ? searchSpan(project, crawl)?.to
        : searches.rows
            .map(({ day }) => day)
            .filter((day) => day < to)
            .toSorted()
            .at(-1);
    if (last === undefined) return [];
    const span = (daysAgo: number) => {
      const [from, to] = [addDays(last, -daysAgo - 27), addDays(last, -daysAgo)];
      const days = rankingDays(searches, from, to);
      const rows = searches.rows.filter(({ day }) => day >= from && day <= to);
      const byUrl = Map.groupBy(
        rows.filter(({ url }) => url !== null),
        ({ url }) => url ?? '',
      );
      return { byUrl, days };
    };
    const [now, before, year] = [span(0), span(28), span(364)];
    type Span = typeof now;
    const of = (
      { byUrl, days }: Span,
      url: string,
      what: (rows: readonly Search[]) => number,
    ): number | null => (days === now.days ? what(byUrl.get(url) ?? []) : null);
    const reason = ({ days }: Span, name: string): string | null =>
      days === now.days ? null : `days with search results: ${now.days}, ${name}: ${days}`;
    const { min_clicks = 0, min_loss_percent = 0 } = asked.numbers;
    const urls = new Set([now, before, year].flatMap(({ byUrl }) => [...byUrl.keys()]));
    return [...urls].flatMap((url) => {
      const page = crawl?.byUrl.get(url);
      if (!inSegment(page, asked)) return [];
      const clicks = of(now, url, clicksOf) ?? 0;
      const [then, yearAgo] = [of(before, url, clicksOf), of(year, url, clicksOf)];
      const hasLost = (former: number | null): boolean =>
        former !== null &&
        former >= Math.max(min_clicks, 1) &&
        (100 * (former - clicks)) / former >= min_loss_percent;
      if (!hasLost(then) && !hasLost(yearAgo)) return [];
      const change = (former: number | null): number | null =>
        former === null || former === 0 ? null : percent(clicks - former, former);
      const changes = project.crawls
        .filter(({ config, endedAt }) => {
          if (main === null || endedAt === null) return false;
          const day = dayOf(endedAt);
          const isOfMain = (config?.id ?? null) === (main.config?.id ?? null);
          return isOfMain && day <= last && day >= addDays(last, -55);
        })
        .flatMap((one) =>
          changesOf(one)
            .filter((each) => each.url === url)
            .map((each) => `${dayOf(one.endedAt ?? 0)} ${each.change}`),
        );
      return [
        {
          ...{ project_name: project.name, project_id: project.id },
          ...{ crawl_config_name: crawl?.config?.name ?? null, crawl_id: crawl?.id ?? null },
          ...{ to_date: last, url, clicks, clicks_before: then, clicks_year_ago: yearAgo },
          ...{ clicks_change_percent: change(then), clicks_change_reason: reason(before, 'before') },
          clicks_change_in_a_year_percent: change(yearAgo),
          clicks_change_in_a_year_reason: reason(year, 'a year ago'),
          ...{ impressions: of(now, url, impressionsOf), impressions_before: of(before, url, impressionsOf) },
          average_position: tenths(positionOf(now.byUrl.get(url) ?? [])),
          average_position_before: tenths(positionOf(before.byUrl.get(url) ?? [])),
          ...{ status_code: page?.status ?? null, is_indexable: page?.isIndexable ?? null },
          changes: ordered(changes),
        },
      ];
    });
  });
