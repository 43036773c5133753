import type { Row } from '../sites/sites.ts';
import { endedIn } from './changes.ts';
import { hasAllLinks, hasAllSitemaps } from './comparison.ts';
import { demandOfCrawl, logSpan, type Span, searchSpan } from './crawl-days.ts';
import type { CrawlFacts } from './crawls.ts';
import {
  type Asked,
  allCrawls,
  crawlsAsked,
  type Facts,
  isSegmentAsked,
  named,
  type ProjectFacts,
  placed,
} from './facts.ts';
import { pagesBySegment, segmentationAsked } from './links.ts';
import { isOrphan } from './orphans.ts';
import { type Page, segmentsOf, within } from './pages.ts';
import { answered, structuredOf } from './pages-of-crawl.ts';
import { bool, groups, isKnown, iso, num, once, percent, rounded, str, sum, sumOfAll } from './values.ts';
import { totalsOf } from './visits.ts';

const DUPLICATES = [
  ...['title', 'h1', 'description'].map((name) => `has_duplicate_${name}_issue`),
  'has_nearduplicate_issue',
];
const isDuplicate = ({ row }: Page): boolean => DUPLICATES.some((name) => bool(row, name) === true);

const AVERAGES = ['average_depth', 'average_load_time', 'average_word_count'] as const;

/** The mean of whole numbers, exact up to the last step: one of them may be beyond 2^53. */
function meanOf(pages: readonly Page[], name: string): number | null {
  const known = pages.flatMap(({ row }) =>
    isKnown(row[name]) ? [BigInt(row[name] as bigint | number)] : [],
  );
  if (known.length === 0) return null;
  const [all, count] = [known.reduce((total, value) => total + value, 0n), BigInt(known.length)];
  return Number(all / count) + Number(all % count) / known.length;
}

type Figures = Readonly<Record<string, number | null>>;

/** Without any status only those that can't be indexed are known. */
function isIndexableTold({ allPages }: CrawlFacts): boolean {
  const known = allPages.filter(({ isIndexable }) => isIndexable !== null);
  const isTold = allPages.some(({ isIndexable, status }) => isIndexable === true || status !== null);
  return known.length > 0 && (isTold || known.length === allPages.length);
}

function figuresOf(project: ProjectFacts, crawl: CrawlFacts, pages: readonly Page[]): Figures {
  /** Counts pages where the crawl tells something of it on any page. */
  const count = (holds: (page: Page) => boolean, isTold: (page: Page) => boolean): number | null =>
    crawl.allPages.some(isTold) ? pages.filter(holds).length : null;
  const hasStatus = ({ status }: Page): boolean => status !== null;
  const ok = answered(pages);
  const urls = pages.map(({ url }) => url);
  const demand = demandOfCrawl(project, crawl);
  const totals = logSpan(project, crawl) && totalsOf(project, crawl);
  const shown = (of: 'clicks' | 'impressions'): number | null =>
    demand.size === 0 ? null : sum(urls.map((url) => demand.get(url)?.[of] ?? 0));
  return {
    pages: pages.length,
    indexable_pages: isIndexableTold(crawl) ? pages.filter((page) => page.isIndexable === true).length : null,
    error_pages: count((page) => within(page.status, 400, 599), hasStatus),
    redirect_pages: count((page) => within(page.status, 300, 399), hasStatus),
    average_depth: meanOf(pages, 'depth'),
    average_load_time: meanOf(ok, 'load_time'),
    average_word_count: meanOf(ok, 'word_count'),
    duplicate_pages: count(
      (page) => page.status === 200 && isDuplicate(page),
      ({ row, status }) => status !== null && DUPLICATES.some((name) => bool(row, name) !== null),
    ),
    orphan_pages: count(
      (page) => isOrphan(crawl, page),
      ({ depth, inlinks }) =>
        hasAllLinks(crawl) && hasAllSitemaps(crawl) && (depth !== null || inlinks !== null),
    ),
    clicks: shown('clicks'),
    impressions: shown('impressions'),
    search_bot_hits: totals && sumOfAll(urls.map((url) => totals.search(url))),
  };
}

/** All clicks, impressions and hits of the days of a crawl, also on URLs that are no page of it. */
function totalsOfDays(project: ProjectFacts, crawl: CrawlFacts): Figures {
  const demand = [...demandOfCrawl(project, crawl).values()];
  const all = (of: 'clicks' | 'impressions'): number | null =>
    demand.length === 0 ? null : sum(demand.map((one) => one[of]));
  const totals = logSpan(project, crawl) && totalsOf(project, crawl);
  return {
    all_clicks: all('clicks'),
    all_impressions: all('impressions'),
    all_search_bot_hits: totals && sumOfAll([...totals.asked.keys()].map(totals.search)),
  };
}

/** Figures that depend on days, and the figure that counts these. */
const DAYS: Readonly<Record<string, string>> = {
  clicks: 'ranking_days',
  impressions: 'ranking_days',
  search_bot_hits: 'log_days',
};

/** The days that the figures of a crawl are of, by what they are of. */
function daysIn(project: ProjectFacts, crawl: CrawlFacts): Readonly<Record<string, Span | null>> {
  return { ranking_days: searchSpan(project, crawl), log_days: logSpan(project, crawl) };
}

function reasonOf(name: string, now: Span | null, before: Span | null): string | null {
  const what = DAYS[name] === 'log_days' ? 'log files' : 'search results';
  const [days, daysBefore] = [now?.days.length ?? 0, before?.days.length ?? 0];
  if (days !== daysBefore) return `days with ${what}: ${days}, of the previous crawl: ${daysBefore}`;
  return now !== null && now.to === before?.to ? `the previous crawl has the same days, to ${now.to}` : null;
}

interface Segment {
  readonly segmentation: string;
  readonly segment: string;
  readonly pages: readonly Page[];
}

const segments = once(({ allPages }: CrawlFacts): Segment[] => {
  const placed = allPages.flatMap((page) => [
    { segmentation: '(site)', segment: '(site)', page },
    ...(page.firstPath === null ? [] : [{ segmentation: '(directory)', segment: page.firstPath, page }]),
    ...segmentsOf(page).map((one) => ({ ...one, page })),
  ]);
  return groups(placed, ({ segmentation, segment }) => [segmentation, segment]).map((group) => ({
    segmentation: group[0]?.segmentation ?? '',
    segment: group[0]?.segment ?? '',
    pages: group.map(({ page }) => page),
  }));
});

export const q21 = (facts: Facts, asked: Asked): Row[] =>
  allCrawls(facts, asked)
    .filter(({ crawl }) => endedIn(crawl, asked))
    .flatMap(({ project, crawl }) =>
      segments(crawl)
        .filter((one) => isSegmentAsked({ segment: '(site)', ...asked }, one))
        .map(({ segmentation, segment, pages }) => {
          const { previous } = crawl;
          const former =
            previous &&
            segments(previous).find((one) => one.segmentation === segmentation && one.segment === segment);
          const now = figuresOf(project, crawl, pages);
          const before: Figures = former && previous ? figuresOf(project, previous, former.pages) : {};
          const days = daysIn(project, crawl);
          const daysBefore = former && previous ? daysIn(project, previous) : null;
          const reason = (name: string): string | null => {
            const counted = DAYS[name] ?? '';
            return daysBefore && reasonOf(name, days[counted] ?? null, daysBefore[counted] ?? null);
          };
          const difference = (name: string): number | null => {
            const [a, b] = [now[name] ?? null, before[name] ?? null];
            if (reason(name) !== null) return null;
            if (name === 'pages' && previous && !former) return a;
            return a === null || b === null ? null : a - b;
          };
          const shown = (name: string, value: number | null): number | null =>
            value !== null && AVERAGES.some((one) => one === name) ? rounded(value, 2) : value;
          return {
            ...placed(crawl),
            segmentation,
            segment,
            ...totalsOfDays(project, crawl),
            ...Object.fromEntries(
              Object.entries(now).flatMap(([name, value]) => [
                [name, shown(name, value)],
                [`${name}_change`, shown(name, difference(name))],
                ...(name in DAYS ? [[`${name}_change_reason`, reason(name)]] : []),
              ]),
            ),
            ...Object.fromEntries(
              Object.entries(days).flatMap(([counted, span]) => {
                const of = counted.replace('_days', '');
                return [
                  [counted, span?.days.length ?? 0],
                  [`${of}_from_date`, span?.from ?? null],
                  [`${of}_to_date`, span?.to ?? null],
                ];
              }),
            ),
          };
        }),
    );

export const q20 = (facts: Facts, asked: Asked): Row[] =>
  allCrawls(facts, asked)
    .filter(({ crawl }) => endedIn(crawl, asked))
    .flatMap(({ crawl }) => {
      const answering = new Set(answered(crawl.allPages));
      const pages = pagesBySegment(crawl, asked).filter(({ page }) => answering.has(page));
      return groups(pages, ({ segment }) => [segment]).map((ofSegment) => {
        const group = ofSegment.map(({ page }) => page);
        const percentOf = (name: string, holds: (value: number) => boolean): number | null => {
          const known = group.map(({ row }) => num(row, name)).filter(isKnown);
          return percent(known.filter(holds).length, known.length);
        };
        return {
          project_name: crawl.project,
          ended_at: iso(crawl.endedAt),
          crawl_id: crawl.id,
          is_in_trends: crawl.isInTrends,
          segmentation: segmentationAsked(asked),
          segment: ofSegment[0]?.segment,
          pages: group.length,
          thin_percent: percentOf('word_count', (value) => value < (asked.numbers.thin_below ?? 0)),
          slow_percent: percentOf('load_time', (value) => value > (asked.numbers.slow_above ?? 0)),
          ...structuredOf(crawl, group),
        };
      });
    });

/** The folder of a page directly below another folder; null for a page directly in it. */
function subfolderOf({ row }: Page, folder: string): string | null {
  const [name, ...deeper] = (str(row, 'urlpath') ?? '').slice(folder.length).split('/');
  return deeper.length === 0 ? null : `${folder}${name}/`;
}

/** The sums of each folder directly below the one that is asked for. */
export const siteStructure = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ project, crawl }) => {
    const { folder = '/' } = asked;
    const inside = crawl.allPages.filter(({ row }) => str(row, 'urlpath')?.startsWith(folder) === true);
    const { ranking_days: ranking, log_days: logs } = daysIn(project, crawl);
    return [...Map.groupBy(inside, (page) => subfolderOf(page, folder))].map(([subfolder, group]) => {
      const figures = figuresOf(project, crawl, group);
      return {
        ...named(crawl),
        folder: subfolder ?? folder,
        is_subfolder: subfolder !== null,
        pages: group.length,
        indexable_pages: figures.indexable_pages,
        error_pages: figures.error_pages,
        clicks: figures.clicks,
        search_bot_hits: figures.search_bot_hits,
        ranking_from_date: ranking?.from ?? null,
        ranking_to_date: ranking?.to ?? null,
        log_from_date: logs?.from ?? null,
        log_to_date: logs?.to ?? null,
      };
    });
  });
