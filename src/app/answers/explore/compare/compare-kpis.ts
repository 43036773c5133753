import { z } from 'zod';
import { columnsOf, type Typed } from '../../../../core/text/typed-rows.ts';
import { CrawlDays } from '../../presentation/days-words.ts';
import { type PageSegment, urlsOf } from '../page-segments.ts';
import { type AskOfTwo, type ComparedCrawl, nameOfCrawl } from './compared-crawls.ts';

/** A figure from mart.crawl_segments, or from a crawl's status counts. */
interface Kpi {
  readonly title: string;
  /** The better direction; null if neither is better. */
  readonly better: 'more' | 'less' | null;
  /** The source whose days the figure sums up. */
  readonly of?: Source;
}

const KPIS = {
  pages: { title: 'pages', better: null },
  indexable_pages: { title: 'indexable pages', better: 'more' },
  client_error_pages: { title: 'pages with a client error (4xx)', better: 'less' },
  server_error_pages: { title: 'pages with a server error (5xx)', better: 'less' },
  redirect_pages: { title: 'pages that redirect (3xx)', better: null },
  duplicate_pages: { title: 'pages with a duplicate', better: 'less' },
  orphan_pages: { title: 'orphan pages', better: 'less' },
  average_depth: { title: 'average depth in clicks', better: 'less' },
  average_load_time: { title: 'average load time in ms', better: 'less' },
  average_word_count: { title: 'average words of a page', better: null },
  clicks: { title: 'clicks on crawled pages', better: 'more', of: 'ranking' },
  impressions: { title: 'impressions of crawled pages', better: 'more', of: 'ranking' },
  search_bot_hits: { title: 'hits of search bots on crawled pages', better: null, of: 'log' },
} as const satisfies Readonly<Record<string, Kpi>>;
type KpiName = keyof typeof KPIS;
const KPI_NAMES = Object.keys(KPIS) as KpiName[];

export const ComparedKpi = z.strictObject({
  kpi: z.enum(KPI_NAMES),
  /** For people, with its unit. */
  title: z.string(),
  before: z.number().nullable(),
  after: z.number().nullable(),
  /** Null if the two values cannot be compared. Also applies to `change_percent`. */
  change: z.number().nullable(),
  /** Percent of the earlier value; also null if that is 0. */
  change_percent: z.number().nullable(),
  /** The better direction; null if neither is better. */
  better: z.enum(['more', 'less']).nullable(),
  why: z.string().nullable(),
});
export type ComparedKpi = Typed<typeof ComparedKpi>;

/** The sources whose days belong to a crawl (mart.crawl_days). */
const SOURCES = { ranking: 'search results', log: 'log files' };
type Source = keyof typeof SOURCES;

const Figures = z.strictObject({
  crawl_id: z.string(),
  ...columnsOf([...KPI_NAMES, 'ranking_days', 'log_days'], z.number().nullable()),
  ...CrawlDays.shape,
});
type Figures = Typed<typeof Figures>;

const AVERAGES: readonly string[] = ['average_depth', 'average_load_time', 'average_word_count'];
/** Figures that this module counts, over pages with a known status. */
const ERRORS: readonly string[] = ['client_error_pages', 'server_error_pages'];

/** A segment without pages in a crawl counts as zero pages for the figures that the crawl has. */
function figuresSql(within: PageSegment): string {
  const counted = (kpi: string): string =>
    ERRORS.includes(kpi)
      ? `CASE WHEN whole.error_pages IS NOT NULL THEN coalesce(errors.${kpi}, 0) END AS ${kpi}`
      : AVERAGES.includes(kpi)
        ? `part.${kpi}`
        : `CASE WHEN part.crawl_id IS NULL AND whole.${kpi} IS NOT NULL THEN 0 ELSE part.${kpi} END AS ${kpi}`;
  return `
  SELECT
    whole.crawl_id, ${Object.keys(KPIS).map(counted).join(',\n    ')},
    whole.ranking_days, whole.ranking_from_date, whole.ranking_to_date,
    whole.log_days, whole.log_from_date, whole.log_to_date
  FROM mart.crawl_segments AS whole
  JOIN (
    SELECT DISTINCT divided.crawl_id FROM mart.crawl_segments AS divided WHERE divided.segmentation = $segmentation
  ) AS divided ON divided.crawl_id = whole.crawl_id
  LEFT JOIN mart.crawl_segments AS part
    ON part.crawl_id = whole.crawl_id AND part.segmentation = $segmentation AND part.segment = $segment
  LEFT JOIN (
    SELECT pages.crawl_id,
      count(CASE WHEN pages.status_code BETWEEN 400 AND 499 THEN 1 END) AS client_error_pages,
      count(CASE WHEN pages.status_code BETWEEN 500 AND 599 THEN 1 END) AS server_error_pages
    FROM mart.pages AS pages
    WHERE pages.crawl_id = $from ${urlsOf('pages', within, '$from')}
      OR pages.crawl_id = $to ${urlsOf('pages', within, '$to')}
    GROUP BY pages.crawl_id
  ) AS errors ON errors.crawl_id = whole.crawl_id
  WHERE whole.crawl_id IN ($from, $to) AND whole.segmentation = '(site)'`;
}

/**
 * Reads the figures of two crawls for a comparison. Compares figures over days only if both crawls cover equally many
 * days.
 */
export async function readComparedKpis(
  ask: AskOfTwo,
  [from, to]: readonly [ComparedCrawl, ComparedCrawl],
  within: PageSegment,
): Promise<readonly ComparedKpi[]> {
  const figures = new Map((await ask(Figures, figuresSql(within))).map((one) => [one.crawl_id, one]));
  const [former, later] = [from, to].map(({ crawl_id }) => figures.get(crawl_id));
  return Object.entries<Kpi>(KPIS).map(([name, { title, better, of }]) => {
    const kpi = name as KpiName;
    const [before, after] = [former?.[kpi] ?? null, later?.[kpi] ?? null];
    const lacking = [...(before === null ? [from] : []), ...(after === null ? [to] : [])];
    const why =
      lacking.length > 0
        ? `unknown for ${lacking.map(nameOfCrawl).join(' and ')}`
        : of && former && later
          ? whyNotOfDays(of, former, later)
          : null;
    const change = why === null && before !== null && after !== null ? after - before : null;
    const change_percent = change === null || !before ? null : (100 * change) / before;
    return {
      kpi,
      title: of ? `${title}${daysText(of, former, later)}` : title,
      before,
      after,
      change,
      change_percent,
      better,
      why,
    };
  });
}

/** Returns the last days that each crawl sums up, if both have some. */
function daysText(of: Source, ...crawls: readonly (Figures | undefined)[]): string {
  const ends = crawls.flatMap((crawl) => crawl?.[`${of}_to_date`] ?? []);
  return ends.length < 2 ? '' : ` (days to ${[...new Set(ends)].join(' and ')})`;
}

/** Returns why sums cannot be compared: they cover different numbers of days, or the same days. */
function whyNotOfDays(of: Source, former: Figures, later: Figures): string | null {
  const [before, after] = [former[`${of}_days`], later[`${of}_days`]];
  if (before !== after) return `not compared: ${SOURCES[of]} of ${before} and ${after} days`;
  const [from, to] = [later[`${of}_from_date`], later[`${of}_to_date`]];
  return from === former[`${of}_from_date`] && to === former[`${of}_to_date`]
    ? `not compared: ${SOURCES[of]} of the same days, ${from} to ${to}`
    : null;
}
