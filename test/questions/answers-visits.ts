import type { Answer } from './answers-links.ts';
import { HIT_RANGES, type StatusClass, statusClass, type UrlDay, urlDays } from './log-hits.ts';
import {
  before,
  bool,
  groups,
  indexable,
  isCanonicalised,
  isNoindex,
  list,
  median,
  num,
  reasonAgainst,
  round,
  str,
  sum,
} from './plain.ts';
import type { CrawlData, ProjectData, Row, ServiceData } from './service-data.ts';

const DAY = 86_400_000;

/** What search results brought a URL in the last 28 days of its project. */
interface Demand {
  readonly url: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number | null;
  readonly topQuery: string | null;
}

export function demand(project: ProjectData): Map<string, Demand> {
  const days = project.ranking.map((row) => Date.parse(String(row.date)));
  const from = Math.max(...days) - 28 * DAY;
  const rows = project.ranking.filter(
    (row) => Date.parse(String(row.date)) > from && str(row, 'url') !== null,
  );
  const found = new Map<string, Demand>();
  for (const same of groups(rows, (row) => [row.url]).values()) {
    const positioned = same.filter((row) => num(row, 'position') !== null);
    const weight = sum(positioned.map((row) => num(row, 'impressions')));
    const weighted = positioned.map((row) => (num(row, 'position') ?? 0) * (num(row, 'impressions') ?? 0));
    const queries = [...groups(same, (row) => [row.query]).values()]
      .map((of) => ({
        query: str(of[0], 'query'),
        impressions: sum(of.map((row) => num(row, 'impressions'))),
      }))
      .filter(({ query }) => query !== null)
      .toSorted((a, b) => b.impressions - a.impressions || before(String(a.query), String(b.query)));
    const url = String(same[0]?.url);
    found.set(url, {
      url,
      clicks: sum(same.map((row) => num(row, 'clicks'))),
      impressions: sum(same.map((row) => num(row, 'impressions'))),
      position: weight > 0 ? sum(weighted) / weight : null,
      topQuery: queries[0]?.query ?? null,
    });
  }
  return found;
}

export const demands = (data: ServiceData): Map<string, Map<string, Demand>> =>
  new Map(data.projects.map((project) => [project.id, demand(project)]));

const latest = (data: ServiceData): CrawlData[] => data.crawls.filter((crawl) => crawl.isLatest);

interface Orphan {
  readonly url: string;
  readonly reason: string;
  readonly page: Row | undefined;
  readonly status: number | null;
}

/** URLs that no link of a crawl's structure leads to. */
export function orphansOf(data: ServiceData, crawl: CrawlData): Orphan[] {
  const known = new Set(crawl.pages.map((page) => page.url));
  const hasDepth = crawl.pages.some((page) => num(page, 'depth') !== null);
  const bare = (url: string): string => (url.endsWith('/') ? url.slice(0, -1) : url);
  const found = crawl.pages.flatMap((page): Orphan[] => {
    const [url, inlinks, depth] = [String(page.url), num(page, 'nb_inlinks'), num(page, 'depth')];
    const sources = list(page, 'sources')?.map((source) => source.toLowerCase());
    const isLinked = inlinks !== 0 && !(hasDepth && depth === null);
    const isStart = depth === 0 || bare(url) === bare(crawl.startUrl);
    if (isLinked || isStart || sources?.some((source) => source.includes('crawler'))) return [];
    const isListed = sources?.length === 1 && sources[0]?.includes('sitemap');
    const unlinked = isListed ? 'only_in_sitemap' : inlinks === 0 ? 'no_inlinks' : 'not_reached';
    const reason = (inlinks ?? 0) > 0 ? 'linked_by_orphans_only' : unlinked;
    return [{ url, reason, page, status: num(page, 'status_code') }];
  });

  const project = data.projects.find(({ id }) => id === crawl.projectId);
  if (project === undefined) return found;
  const days = spans(data, project).find((span) => span.crawl?.id === crawl.id)?.hits ?? [];
  const isAsked = ({ bots, seoVisits }: UrlDay): boolean =>
    (seoVisits ?? 0) > 0 || bots.some(({ botClass }) => botClass === 'search');
  const logged = new Set(days.filter(isAsked).map(({ url }) => url));
  const last = Math.floor(crawl.endedAt / DAY) * DAY;
  const isShown = (row: Row): boolean => {
    const day = Date.parse(String(row.date));
    return day <= last && day > last - 28 * DAY && (num(row, 'impressions') ?? 0) > 0;
  };
  const shown = new Set(project.ranking.filter(isShown).flatMap((row) => str(row, 'url') ?? []));
  const outside = [...new Set([...logged, ...shown])].filter((url) => !known.has(url));
  return [
    ...found,
    ...outside.map((url): Orphan => {
      const places = [logged.has(url) ? 'logs' : [], shown.has(url) ? 'search_results' : []].flat();
      const told = days.filter((day) => day.url === url && day.lastStatus !== null);
      const status = told.toSorted((a, b) => before(a.day, b.day)).at(-1)?.lastStatus ?? null;
      return { url, reason: `only_in_${places.join('_and_')}`, page: undefined, status };
    }),
  ];
}

export const q03: Answer = (data) => {
  const wanted = demands(data);
  return latest(data).flatMap((crawl) =>
    orphansOf(data, crawl).map(({ url, reason, page, status }) => {
      const earned = wanted.get(crawl.projectId)?.get(url);
      return {
        ...{ project_name: crawl.project, crawl_config_name: crawl.configName, crawl_id: crawl.id },
        ...{ url, reason, sources: list(page, 'sources'), status_code: status },
        is_indexable: page === undefined ? null : indexable(page),
        ...{ depth: num(page, 'depth'), nb_inlinks: num(page, 'nb_inlinks') },
        clicks: earned?.clicks ?? null,
        impressions: earned?.impressions ?? null,
        top_query: earned?.topQuery ?? null,
      };
    }),
  );
};

/** Days of a project's log files, each with the latest crawl that ended before the day did. */
export function spans(data: ServiceData, project: ProjectData) {
  const crawls = data.crawls.filter((crawl) => crawl.projectId === project.id);
  const crawlOf = (day: string): CrawlData | null =>
    crawls.findLast((crawl) => crawl.endedAt < Date.parse(day) + DAY) ?? null;
  const hits = urlDays(project);
  return [...groups(hits, ({ day }) => [crawlOf(day)?.id ?? null]).values()].map((same) => {
    const days = same.map(({ day }) => day).toSorted(before);
    return { crawl: crawlOf(days[0] ?? ''), from: days[0], to: days.at(-1), hits: same };
  });
}

/** A total that is not known where one of its numbers is not. */
export const total = (values: readonly (number | null)[]): number | null =>
  values.includes(null) ? null : sum(values);

export const q16: Answer = (data) =>
  data.projects.flatMap((project) =>
    spans(data, project).flatMap(({ crawl, from, to, hits }) => {
      if (crawl === null) return [];
      const byUrl = groups(hits, ({ url }) => [url]);
      const keyOf = (page: Row) => [str(page, 'url_first_path'), num(page, 'depth'), num(page, 'inrank')];
      return [...groups(crawl.pages, keyOf).values()].map((pages) => {
        const totals = (of: (hit: UrlDay) => number | null): (number | null)[] =>
          pages.map((page) => total((byUrl.get(JSON.stringify([page.url])) ?? []).map(of)));
        const search = totals((hit) => hit.searchBots);
        const known = search.filter((hits) => hits !== null);
        return {
          ...{ project_name: project.name, crawl_id: crawl.id, from_day: from, to_day: to },
          url_first_path: str(pages[0], 'url_first_path'),
          depth: num(pages[0], 'depth'),
          inrank: num(pages[0], 'inrank'),
          pages: pages.length,
          unknown_pages: pages.length - known.length,
          visited_share:
            known.length === 0 ? null : round(known.filter((hits) => hits > 0).length / known.length, 3),
          search_bot_hits: total(search),
          google_bot_hits: total(totals((hit) => hit.engines?.google ?? null)),
          bing_bot_hits: total(totals((hit) => hit.engines?.bing ?? null)),
        };
      });
    }),
  );

export const q17: Answer = (data) =>
  data.projects.flatMap((project) =>
    spans(data, project).flatMap(({ crawl, from, to, hits }) => {
      const pages = new Map(crawl?.pages.map((page) => [page.url, page]));
      const orphans = new Set(crawl ? orphansOf(data, crawl).map(({ url }) => url) : []);
      const wasteOf = (url: string, own: StatusClass | null): string => {
        const page = pages.get(url);
        const status = own ?? statusClass(num(page, 'status_code'));
        if (page && reasonAgainst(page) === 'robots_denied') return 'robots_denied';
        if (status === 'redirect' || status === 'error') return status;
        if (page && isNoindex(page)) return 'noindex';
        if (page && isCanonicalised(page)) return 'canonicalised';
        if (bool(page, 'url_has_params') ?? url.includes('?')) return 'parameters';
        return orphans.has(url) ? 'orphan' : 'none';
      };
      const asked = hits.flatMap((day) =>
        day.bots
          .filter((bot) => bot.botClass === 'search')
          .map((bot) => ({ ...bot, day, url: day.url, waste: wasteOf(day.url, bot.status) })),
      );
      return [...groups(asked, ({ day, engine }) => [day.dataset, engine]).values()].flatMap((ofEngine) => {
        const all = sum(ofEngine.map((hit) => hit.hits));
        return [...groups(ofEngine, ({ waste }) => [waste]).values()].map((same) => {
          const urls = [...groups(same, ({ url }) => [url]).values()].map((ofUrl) => ({
            url: String(ofUrl[0]?.url),
            hits: sum(ofUrl.map((hit) => hit.hits)),
          }));
          const ranges = HIT_RANGES.map((name) => {
            const known = same.filter(({ day }) => day.ranges?.[name] != null);
            return [
              name,
              known.length === 0 ? null : sum(known.map(({ day }) => day.ranges?.[name] ?? null)),
            ];
          });
          return {
            ...{ project_name: project.name, project_id: project.id, crawl_id: crawl?.id ?? null },
            ...{ from_day: from, to_day: to, dataset: same[0]?.day.dataset, engine: same[0]?.engine ?? null },
            waste: same[0]?.waste,
            urls: urls.length,
            hits: sum(urls.map((one) => one.hits)),
            share: round(sum(urls.map((one) => one.hits)) / all, 3),
            ...Object.fromEntries(ranges),
            most_asked_url: urls.toSorted((a, b) => b.hits - a.hits || before(b.url, a.url))[0]?.url,
          };
        });
      });
    }),
  );

/** Positions that are taken together: each to the tenth, the next ten, the rest. */
function bandOf(position: number): number {
  const whole = Math.floor(position + 0.5);
  return whole <= 10 ? whole : whole <= 20 ? 20 : 100;
}

/** The clicks that a URL's positions bring on its project's URLs. */
function expectedClicks(project: ProjectData, shown: readonly Demand[]): Map<string, number> {
  const days = project.ranking.map((row) => Date.parse(String(row.date)));
  const urls = new Set(shown.map(({ url }) => url));
  const rows = project.ranking.filter(
    (row) =>
      Date.parse(String(row.date)) > Math.max(...days) - 28 * DAY &&
      urls.has(String(row.url)) &&
      num(row, 'position') !== null,
  );
  const total = (of: readonly Row[], name: string): number => sum(of.map((row) => num(row, name)));
  const bands = groups(rows, (row) => [bandOf(num(row, 'position') ?? 0)]);
  const found = new Map<string, number>();
  for (const ofBand of bands.values()) {
    const rate =
      total(ofBand, 'impressions') > 0 ? total(ofBand, 'clicks') / total(ofBand, 'impressions') : 0;
    for (const [url, ofUrl] of Map.groupBy(ofBand, (row) => String(row.url)))
      found.set(url, (found.get(url) ?? 0) + total(ofUrl, 'impressions') * rate);
  }
  return found;
}

export const q18: Answer = (data) => {
  const wanted = demands(data);
  return data.projects.flatMap((project) => {
    const shown = [...(wanted.get(project.id)?.values() ?? [])].filter(({ impressions }) => impressions > 0);
    const crawl = latest(data).find((one) => one.projectId === project.id);
    const pages = new Map(crawl?.pages.map((page) => [page.url, page]));
    const expected = expectedClicks(project, shown);
    const rank = (one: Demand): number =>
      shown.filter((other) => other.impressions > one.impressions).length / Math.max(1, shown.length - 1);
    const findingOf = (one: Demand): string | null => {
      const page = pages.get(one.url);
      const status = num(page, 'status_code');
      if (crawl !== undefined && page === undefined) return 'demand on a URL that the crawl does not know';
      if (status !== null && status !== 200) return 'demand on a URL that is not 200';
      if (page !== undefined && indexable(page) === false) return 'demand on a URL that is not indexable';
      const low = rank(one) < 0.1 && one.clicks < (expected.get(one.url) ?? 0) / 2;
      return low ? 'many impressions, low CTR' : null;
    };
    return shown.flatMap((one) => {
      const finding = findingOf(one);
      if (finding === null) return [];
      const clicks = expected.get(one.url);
      return [
        {
          ...{ project_name: project.name, project_id: project.id },
          ...{
            crawl_config_name: crawl?.configName ?? null,
            crawl_id: crawl?.id ?? null,
            finding,
            url: one.url,
          },
          status_code: num(pages.get(one.url), 'status_code'),
          ...{ impressions: one.impressions, clicks: one.clicks },
          ctr: round(one.clicks / one.impressions, 4),
          expected_ctr: clicks === undefined ? null : round(clicks / one.impressions, 4),
          position: round(one.position, 1),
          top_query: one.topQuery,
        },
      ];
    });
  });
};

const hostOf = (url: unknown): string | undefined => URL.parse(String(url))?.host;

export const q19: Answer = (data) => {
  const wanted = demands(data);
  return latest(data).flatMap((crawl) => {
    const good = crawl.pages.filter((page) => indexable(page) === true);
    const inlinks = (pages: readonly Row[]): number | null =>
      median(pages.map((page) => num(page, 'nb_inlinks')));
    const byDepth = Map.groupBy(good, (page) => num(page, 'depth'));
    const usualLinks = new Map([...byDepth].map(([depth, pages]) => [depth, inlinks(pages)]));
    const [allLinks, usualDepth] = [inlinks(good), median(good.map((page) => num(page, 'depth')))];
    const into = groups(
      crawl.links.filter((link) => bool(link, 'intern') ?? hostOf(link.origin) === hostOf(link.target)),
      (link) => [link.target],
    );
    return good.flatMap((page) => {
      const earned = wanted.get(crawl.projectId)?.get(String(page.url));
      const [links, depth] = [num(page, 'nb_inlinks'), num(page, 'depth')];
      const usual = (depth === null ? null : usualLinks.get(depth)) ?? allLinks;
      const under = links === null || usual === null ? null : links < usual / 2;
      const deep = depth === null || usualDepth === null ? null : depth > usualDepth + 1;
      if (earned === undefined || earned.clicks === 0 || !(under || deep)) return [];
      const origins = (into.get(JSON.stringify([page.url])) ?? []).map((link) => String(link.origin));
      return [
        {
          ...{ project_name: crawl.project, crawl_config_name: crawl.configName, crawl_id: crawl.id },
          ...{ url: page.url, is_under_linked: under, is_deep: deep },
          ...{ clicks: earned.clicks, impressions: earned.impressions },
          ...{ position: round(earned.position, 1), top_query: earned.topQuery },
          ...{ nb_inlinks: links, depth },
          origin_pages: crawl.links.length > 0 ? [...new Set(origins)].toSorted(before) : null,
        },
      ];
    });
  });
};
