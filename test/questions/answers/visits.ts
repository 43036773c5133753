import type { Row } from '../sites/sites.ts';
import { hasAllLinks, isAnswered } from './comparison.ts';
import { demandOfCrawl, logSpan, type Span, stateOf } from './crawl-days.ts';
import type { CrawlFacts } from './crawls.ts';
import {
  type Asked,
  crawlAsked,
  crawlsAsked,
  type Facts,
  inDays,
  inSegment,
  isSegmentAsked,
  type ProjectFacts,
  projectsAsked,
} from './facts.ts';
import { hasSegmentation, pagesBySegment, segmentationAsked } from './links.ts';
import { type BotHit, SEARCH_CRAWLERS, statusClass, type UrlDay } from './logs.ts';
import { isOrphan, isUnknownOrphan } from './orphans.ts';
import {
  bool,
  byBytes,
  dayOf,
  daysBetween,
  distinct,
  groups,
  isKnown,
  num,
  once,
  percent,
  rounded,
  sum,
  sumOfAll,
} from './values.ts';

const byUrlOf = once((days: readonly UrlDay[]) => Map.groupBy(days, ({ url }) => url));

/** Totals of a URL over the days that belong to a crawl; 0 where nobody asked for it. */
export function totalsOf(project: ProjectFacts, crawl: CrawlFacts) {
  const days = urlDaysOf(project, crawl);
  const byUrl = byUrlOf(days);
  const total = (url: string, of: (day: UrlDay) => number | null): number | null =>
    sumOfAll((byUrl.get(url) ?? []).map(of));
  return {
    asked: byUrl,
    search: (url: string) => total(url, ({ searchBotHits }) => searchBotHits),
    google: (url: string) => total(url, ({ googleBotHits }) => googleBotHits),
    bing: (url: string) => total(url, ({ bingBotHits }) => bingBotHits),
  };
}

export const urlDaysOf = (project: ProjectFacts, crawl: CrawlFacts): readonly UrlDay[] => {
  const days = new Set(logSpan(project, crawl)?.days);
  return project.logs.urlDays.filter(({ day }) => days.has(day));
};

export const q16 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ project, crawl }) => {
    const span = logSpan(project, crawl);
    if (span === null) return [];
    const totals = totalsOf(project, crawl);
    const pages = pagesBySegment(crawl, asked);
    return groups(pages, ({ page, segment }) => [segment, page.depth, num(page.row, 'inrank')]).map(
      (ofSegment) => {
        const group = ofSegment.map(({ page }) => page);
        const hits = group.map(({ url }) => totals.search(url));
        const known = hits.filter(isKnown);
        return {
          project_name: project.name,
          crawl_id: crawl.id,
          from_date: span.from,
          to_date: span.to,

          segmentation: segmentationAsked(asked),
          segment: ofSegment[0]?.segment,
          depth: group[0]?.depth,
          inrank: num(group[0]?.row, 'inrank'),
          pages: group.length,
          unknown_pages: group.length - known.length,
          visited_percent: percent(known.filter((one) => one > 0).length, known.length),
          search_bot_hits: sumOfAll(hits),
          google_bot_hits: sumOfAll(group.map(({ url }) => totals.google(url))),
          bing_bot_hits: sumOfAll(group.map(({ url }) => totals.bing(url))),
        };
      },
    );
  });

/** The first directory of a URL that is no page, with both slashes. */
const directoryOf = (url: string): string =>
  /^\/(?:[^/]*\/)?/.exec(url.replace(/[?#].*$/s, '').replace(/^[^/]*\/\/[^/]*/, ''))?.[0] ?? '/';

/** URLs that a crawl does not know and log files do, each with the segment that it counts in. */
function uncrawledBySegment(
  crawl: CrawlFacts,
  urls: Iterable<string>,
  asked: Asked,
): { readonly url: string; readonly segment: string | null }[] {
  if (!hasSegmentation(crawl, asked)) return [];
  const segmentation = segmentationAsked(asked);
  const segmentOf = (url: string): string | null =>
    segmentation === '(site)' ? '(site)' : segmentation === '(directory)' ? directoryOf(url) : null;
  return [...urls]
    .filter((url) => !crawl.byUrl.has(url))
    .map((url) => ({ url, segment: segmentOf(url) }))
    .filter(({ segment }) => isSegmentAsked(asked, { segmentation, segment }));
}

const AGAINST = new Set(['robots_denied', 'redirect', 'error', 'noindex', 'canonicalised', 'not_indexable']);
type Kind = 'indexable' | 'non_indexable' | 'untold';

/** Hits of search engines on a page, by what it was when they asked for it. */
export function budgetOf(project: ProjectFacts, crawl: CrawlFacts) {
  const days = new Set(logSpan(project, crawl)?.days);
  const judged = project.logs.botHits
    .filter(({ botClass, day, url }) => botClass === 'search' && days.has(day) && crawl.byUrl.has(url))
    .map((hit) => {
      const telling = tellingOf(project, crawl, hit);
      const isIndexable = telling?.byUrl.get(hit.url)?.isIndexable === true;
      const isAgainst = AGAINST.has(wasteOf(hit, telling) ?? '');
      const kind: Kind = isAgainst ? 'non_indexable' : isIndexable ? 'indexable' : 'untold';
      return { ...hit, kind };
    });
  const byUrl = Map.groupBy(judged, ({ url }) => url);
  return (url: string, kind: Kind): number =>
    sum((byUrl.get(url) ?? []).filter((one) => one.kind === kind).map(({ hits }) => hits));
}

export const q33 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ project, crawl }) => {
    const span = logSpan(project, crawl);
    if (span === null) return [];
    const totals = totalsOf(project, crawl);
    const all = sumOfAll([...totals.asked.keys()].map(totals.search));
    const crawled = pagesBySegment(crawl, asked).map(({ page, segment }) => ({
      url: page.url,
      segment,
      isCrawled: true,
    }));
    const uncrawled = uncrawledBySegment(crawl, totals.asked.keys(), asked).map((one) => ({
      ...one,
      isCrawled: false,
    }));
    const budget = budgetOf(project, crawl);
    return groups([...crawled, ...uncrawled], ({ segment }) => [segment]).map((group) => {
      const pages = group.filter(({ isCrawled }) => isCrawled);
      const others = group.filter(({ isCrawled }) => !isCrawled);
      const total = (some: typeof group): number | null =>
        sumOfAll(some.map(({ url }) => totals.search(url)));
      const hits = (kind: Kind): number | null =>
        sumOfAll(pages.map(({ url }) => (totals.search(url) === null ? null : budget(url, kind))));
      const [whole, indexable] = [total(group), hits('indexable')];
      return {
        project_name: project.name,
        crawl_id: crawl.id,
        from_date: span.from,
        to_date: span.to,
        segmentation: segmentationAsked(asked),
        segment: group[0]?.segment,
        pages: pages.length,
        search_bot_hits: whole,
        hits_percent: whole === null || all === null ? null : percent(whole, all),
        indexable_hits: indexable,
        indexable_percent: whole === null || indexable === null ? null : percent(indexable, whole),
        non_indexable_hits: hits('non_indexable'),
        untold_hits: hits('untold'),
        uncrawled_hits: total(others),
      };
    });
  });

/** The crawl that tells of a URL on a day: that of the day, or else the one that is asked for. */
function tellingOf(project: ProjectFacts, asked: CrawlFacts | null, { url, day }: BotHit): CrawlFacts | null {
  const state = asked && stateOf(project, asked, day);
  return state?.byUrl.has(url) ? state : asked;
}

function wasteOf(hit: BotHit, crawl: CrawlFacts | null): string | null {
  const page = crawl?.byUrl.get(hit.url);
  const status = hit.status ?? statusClass(page?.status ?? null);
  if (page?.isRobotsDenied === true) return 'robots_denied';
  if (status === 'redirect' || status === 'error') return status;
  if (page?.isNoindex === true) return 'noindex';
  if (page?.isCanonicalised === true) return 'canonicalised';
  if (page?.isIndexable === false && (page.status === 200 || page.reason === 'service'))
    return 'not_indexable';
  const isWanted = page?.isIndexable === true && page.canonicalKind === 'self';
  if (!isWanted && ((page && bool(page.row, 'url_has_params')) ?? hit.url.includes('?'))) return 'parameters';
  if (crawl === null) return null;
  return (page === undefined ? isUnknownOrphan(crawl, hit.url) : isOrphan(crawl, page)) ? 'orphan' : 'none';
}

export const q17 = (facts: Facts, asked: Asked): Row[] =>
  projectsAsked(facts, asked).flatMap((project) => {
    const crawl = crawlAsked(project, asked);
    const span = spanAsked(project, crawl, asked);
    const hits = project.logs.botHits
      .filter(({ botClass, day }) => botClass === 'search' && span?.days.includes(day))
      .filter(({ url }) => {
        const page = crawl?.byUrl.get(url);
        return page === undefined && asked.segment !== undefined
          ? isSegmentAsked(asked, { segmentation: '(directory)', segment: directoryOf(url) })
          : inSegment(page, asked);
      })
      .map((hit) => ({ hit, waste: wasteOf(hit, tellingOf(project, crawl, hit)) }));
    return groups(hits, ({ hit }) => [hit.dataset, hit.engine]).flatMap((ofEngine) => {
      const all = sum(ofEngine.map(({ hit }) => hit.hits));
      return groups(ofEngine, ({ waste }) => [waste]).map((group) => {
        const [first] = group;
        const ofGroup = group.map(({ hit }) => hit);
        const [most] = groups(ofGroup, ({ url }) => [url])
          .map((some) => ({ url: some[0]?.url ?? '', hits: sum(some.map(({ hits: n }) => n)) }))
          .toSorted((a, b) => b.hits - a.hits || byBytes(b.url, a.url));
        const range = (name: string): number | null =>
          ofGroup.every(({ counts }) => counts === null)
            ? null
            : sumOfAll(ofGroup.map((one) => num(one.counts ?? {}, name)));
        return {
          project_name: project.name,
          project_id: project.id,
          crawl_id: crawl?.id ?? null,

          from_date: span?.from,
          to_date: span?.to,
          dataset: first?.hit.dataset,
          engine: first?.hit.engine,
          waste: first?.waste,
          urls: distinct(ofGroup.map(({ url }) => url)),
          hits: sum(ofGroup.map((one) => one.hits)),
          hits_percent: percent(sum(ofGroup.map((one) => one.hits)), all),
          hits_2xx: range('hits_2xx'),
          hits_3xx: range('hits_3xx'),
          hits_4xx: range('hits_4xx'),
          hits_5xx: range('hits_5xx'),
          most_asked_url: most?.url,
        };
      });
    });
  });

const first = (days: Iterable<string>): string | null => [...days].toSorted()[0] ?? null;

export const q25 = (facts: Facts, asked: Asked): Row[] =>
  projectsAsked(facts, asked).flatMap((project) => {
    const { logs, searches } = project;
    const requests = byUrlOf(logs.urlDays);
    const seen = new Map<string, CrawlFacts>();
    for (const crawl of project.counting)
      for (const page of crawl.allPages)
        if (page.status === 200 && !seen.has(page.url)) seen.set(page.url, crawl);
    return [...seen].flatMap(([url, crawl]) => {
      const page = crawl.byUrl.get(url);
      const day = dayOf(crawl.endedAt ?? 0);
      const former = project.counting[project.counting.indexOf(crawl) - 1];
      if (former === undefined || !inSegment(page, asked) || !inDays(day, asked)) return [];
      // A page that the crawl before could not show may be an old one.
      const before = former.byUrl.get(url);
      if (before === undefined ? !hasAllLinks(former) : !isAnswered(before)) return [];
      const ofUrl = requests.get(url) ?? [];
      const bot = first(
        logs.botHits.filter((hit) => hit.url === url && hit.botClass === 'search').map((hit) => hit.day),
      );
      const visit = first(ofUrl.filter(({ isVisited }) => isVisited).map((one) => one.day));
      const shown = first(
        searches.rows.filter((row) => row.url === url && row.impressions > 0).map((row) => row.day),
      );
      const since = (other: string | null): number | null =>
        other === null || other < day ? null : daysBetween(day, other);
      return [
        {
          project_name: project.name,
          project_id: project.id,
          first_crawl_id: crawl.id,
          url,
          url_first_path: page?.firstPath,
          first_seen_date: day,
          first_bot_date: bot,
          first_shown_date: shown,
          first_visit_date: visit,
          days_to_bot: since(bot),
          days_to_shown: since(shown),
          days_to_visit: since(visit),
          logs_from_date: first(logs.days.keys()),
          shown_from_date: searches.firstDay,
          visits_from_date: first(logs.knownVisitDays),
        },
      ];
    });
  });

/** Days with log files that are asked for; without them those that belong to the crawl. */
function spanAsked(project: ProjectFacts, crawl: CrawlFacts | null, asked: Asked): Span | null {
  if (asked.from === undefined && asked.to === undefined) return logSpan(project, crawl);
  const days = [...project.logs.days.keys()].filter((day) => inDays(day, asked)).toSorted();
  const [from, to] = [days[0], days.at(-1)];
  return from === undefined || to === undefined ? null : { from, to, days };
}

export const q26 = (facts: Facts, asked: Asked): Row[] =>
  projectsAsked(facts, asked).flatMap((project) => {
    const crawl = crawlAsked(project, asked);
    const span = spanAsked(project, crawl, asked);
    const days = span?.days ?? [];
    const hits = project.logs.botHits
      .filter(({ day }) => days.includes(day))
      .flatMap((hit) => {
        const isForged = hit.botClass === 'unverified' && SEARCH_CRAWLERS.has(hit.crawler ?? '');
        if (isForged) return [{ ...hit, engine: 'unverified' }];
        return hit.botClass === 'search' ? [hit] : [];
      });
    const pagesAsked = (crawl?.allPages ?? []).filter((page) => inSegment(page, asked));
    const segments = groups(pagesAsked, ({ firstPath }) => [firstPath]);
    return groups(hits, ({ engine }) => [engine]).flatMap((ofEngine) => {
      const row = (path: string | null, pages: number | null, some: readonly BotHit[]): Row => {
        const crawled = distinct(some.map(({ url }) => url));
        const count = sum(some.map((one) => one.hits));
        return {
          project_name: project.name,
          crawl_config_name: crawl?.config?.name ?? null,
          crawl_id: crawl?.id ?? null,
          from_date: span?.from,
          to_date: span?.to,
          days: days.length,
          engine: ofEngine[0]?.engine,
          is_in_crawl: crawl && pages !== null,
          url_first_path: path,
          pages,
          crawled_pages: crawled,
          crawled_percent: pages === null ? null : percent(crawled, pages),
          hits: count,
          hits_per_day: rounded(count, 2, days.length),
          days_between_hits: count === 0 ? null : rounded(days.length * crawled, 1, count),
        };
      };
      const others = ofEngine.filter(({ url }) => !crawl?.byUrl.has(url));
      return [
        ...segments.map((pages) => {
          const path = pages[0]?.firstPath ?? null;
          const urls = new Set(pages.map(({ url }) => url));
          const ofSegment = ofEngine.filter(({ url }) => urls.has(url));
          return row(path, pages.length, ofSegment);
        }),
        ...(others.length > 0 && asked.segment === undefined ? [row(null, null, others)] : []),
      ];
    });
  });

export const q31 = (facts: Facts, asked: Asked): Row[] =>
  projectsAsked(facts, asked).flatMap((project) => {
    const crawl = crawlAsked(project, asked);
    const span = spanAsked(project, crawl, asked);
    const days = span?.days ?? [];
    const hits = project.logs.botHits.filter(({ botClass, day }) => botClass === 'ai' && days.includes(day));
    return groups(hits, ({ url, crawler }) => [url, crawler]).flatMap((group) => {
      const [one] = group;
      const page = crawl?.byUrl.get(one?.url ?? '');
      if (!inSegment(page, asked)) return [];
      const told = group.filter(({ status }) => status !== null);
      const on = group.map(({ day }) => day).toSorted();
      return [
        {
          project_name: project.name,
          project_id: project.id,
          crawl_config_name: crawl?.config?.name ?? null,
          crawl_id: crawl?.id ?? null,
          url: one?.url,
          url_first_path: page?.firstPath ?? null,
          engine: one?.engine,
          crawler: one?.crawler,
          purpose: one?.purpose,
          hits: group.length,
          days: distinct(on),
          first_date: on[0],
          last_date: on.at(-1),
          ok_percent: percent(told.filter(({ status }) => status === 'ok').length, told.length),
          status_code: page?.status ?? null,
          is_indexable: page?.isIndexable ?? null,
          clicks: demandOfCrawl(project, crawl).get(one?.url ?? '')?.clicks ?? null,
        },
      ];
    });
  });
