import { type AskOfTwo, type ComparedCrawl, nameOfCrawl } from './compared-crawls.ts';

/** A figure of two crawls. */
export interface ComparedKpi {
  readonly kpi: KpiName;
  /** With its unit, as people say it. */
  readonly title: string;
  /** Null where it is not known. */
  readonly before: number | null;
  readonly after: number | null;
  /** Null where the two can't be compared, as in the next. */
  readonly change: number | null;
  /** Of what it was before; null also where that was 0. */
  readonly change_percent: number | null;
  /** Which way is better; null: neither by itself. */
  readonly better: 'more' | 'less' | null;
  /** Why there is no change. */
  readonly why: string | null;
}

/** A figure of mart.crawl_segments, or of the statuses of a crawl. */
interface Kpi {
  readonly title: string;
  readonly better: ComparedKpi['better'];
  /** The column with the number of days that it adds up. */
  readonly days?: 'ranking_days' | 'log_days';
}

const KPIS = {
  pages: { title: 'pages', better: null },
  indexable_pages: { title: 'indexable pages', better: 'more' },
  client_error_pages: { title: 'pages with a client error (4xx)', better: 'less' },
  server_error_pages: { title: 'pages with a server error (5xx)', better: 'less' },
  redirect_pages: { title: 'pages that redirect (3xx)', better: 'less' },
  duplicate_pages: { title: 'pages with a duplicate', better: 'less' },
  orphan_pages: { title: 'orphan pages', better: 'less' },
  average_depth: { title: 'average depth in clicks', better: 'less' },
  average_load_time: { title: 'average load time in ms', better: 'less' },
  average_word_count: { title: 'average words of a page', better: null },
  clicks: { title: 'clicks in 28 days', better: 'more', days: 'ranking_days' },
  impressions: { title: 'impressions in 28 days', better: 'more', days: 'ranking_days' },
  search_bot_hits: { title: 'hits of search bots', better: null, days: 'log_days' },
} as const satisfies Readonly<Record<string, Kpi>>;
type KpiName = keyof typeof KPIS;
const OF_DAYS = { ranking_days: 'search results', log_days: 'log files' };

type Figures = { readonly crawl_id: string } & Readonly<
  Record<KpiName | 'ranking_days' | 'log_days', number | null>
>;

const FIGURES = `
  WITH errors AS (
    SELECT
      statuses.crawl_id,
      CAST(sum(CASE WHEN statuses.status_code BETWEEN 400 AND 499 THEN statuses.pages ELSE 0 END) AS BIGINT) AS client,
      CAST(sum(CASE WHEN statuses.status_code BETWEEN 500 AND 599 THEN statuses.pages ELSE 0 END) AS BIGINT) AS server
    FROM mart.status_codes_by_crawl AS statuses
    WHERE statuses.crawl_id IN ($from, $to)
    GROUP BY statuses.crawl_id
  )
  SELECT
    segments.crawl_id, segments.pages, segments.indexable_pages,
    CASE WHEN segments.error_pages IS NOT NULL THEN errors.client END AS client_error_pages,
    CASE WHEN segments.error_pages IS NOT NULL THEN errors.server END AS server_error_pages,
    segments.redirect_pages, segments.duplicate_pages, segments.orphan_pages, segments.average_depth,
    segments.average_load_time, segments.average_word_count, segments.clicks, segments.impressions,
    segments.search_bot_hits, segments.ranking_days, segments.log_days
  FROM mart.crawl_segments AS segments
  LEFT JOIN errors ON errors.crawl_id = segments.crawl_id
  WHERE segments.crawl_id IN ($from, $to) AND segments.segmentation = '(site)'`;

/** The figures of two crawls side by side. Those that depend on days are compared where both have as many. */
export async function readComparedKpis(
  ask: AskOfTwo,
  from: ComparedCrawl,
  to: ComparedCrawl,
): Promise<readonly ComparedKpi[]> {
  const figures = new Map((await ask<Figures>(FIGURES)).map((one) => [one.crawl_id, one]));
  const [former, later] = [from, to].map(({ crawl_id }) => figures.get(crawl_id));
  return Object.entries<Kpi>(KPIS).map(([name, { title, better, days }]) => {
    const kpi = name as KpiName;
    const [before, after] = [former?.[kpi] ?? null, later?.[kpi] ?? null];
    const loaded = days === undefined ? [] : [former?.[days] ?? 0, later?.[days] ?? 0];
    const lacking = [...(before === null ? [from] : []), ...(after === null ? [to] : [])];
    const why =
      lacking.length > 0
        ? `not known of ${lacking.map(nameOfCrawl).join(' and ')}`
        : loaded[0] !== loaded[1]
          ? `${OF_DAYS[days ?? 'log_days']} of ${loaded.join(' and ')} days`
          : null;
    const change = why === null && before !== null && after !== null ? after - before : null;
    const change_percent = change === null || !before ? null : (100 * change) / before;
    return { kpi, title, before, after, change, change_percent, better, why };
  });
}
