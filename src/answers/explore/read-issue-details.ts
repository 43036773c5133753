import type { CatalogReader } from '../../state/catalogue/catalog.ts';
import { rowsOf } from './chosen-crawls.ts';

/** What an issue means in a project (mart.project_issues). */
export interface IssueMeaning {
  readonly issue: string;
  readonly definition: string;
  readonly why_it_matters: string;
  readonly fix: string;
  readonly source: string;
}

/** Pages with an issue in the crawls of a configuration, the oldest first; null where it is not known. */
export interface IssueTrend {
  readonly issue: string;
  readonly ended_at: (string | null)[];
  readonly pages: (number | null)[];
}

/** How much of a crawl's demand and visits is on pages with an issue, in percent; null where the whole is not known or 0. */
export interface IssueShare {
  readonly issue: string;
  /** Of the clicks on the days that belong to the crawl. */
  readonly clicks_percent: number | null;
  /** Of the requests of search engines on these days. */
  readonly search_bot_hits_percent: number | null;
}

export function readIssueMeanings(
  warehouse: CatalogReader,
  project: string,
  signal: AbortSignal,
): Promise<readonly IssueMeaning[]> {
  return rowsOf(
    warehouse,
    'SELECT issue, definition, why_it_matters, fix, source FROM mart.project_issues WHERE project_id = $project',
    new Map([['project', project]]),
    signal,
  );
}

const TREND = `
  SELECT issue, array_agg(ended_at ORDER BY ended_at, crawl_id) AS ended_at, array_agg(pages ORDER BY ended_at, crawl_id) AS pages
  FROM (
    SELECT trend.issue, trend.ended_at, trend.crawl_id, trend.pages
    FROM mart.issue_trend AS trend
    WHERE trend.crawl_id IN (
      SELECT others.crawl_id
      FROM mart.crawls AS asked
      JOIN mart.crawls AS others
        ON others.project_id = asked.project_id
        AND others.crawl_config_id IS NOT DISTINCT FROM asked.crawl_config_id
        AND others.is_in_trends AND others.ended_at <= asked.ended_at
      WHERE asked.crawl_id = $crawl
      ORDER BY others.ended_at DESC, others.crawl_id DESC LIMIT 12)) AS last
  GROUP BY issue`;

/** Over the last 12 crawls up to one that charts have (mart.crawls.is_in_trends). */
export function readIssueTrends(
  warehouse: CatalogReader,
  crawl: string,
  signal: AbortSignal,
): Promise<readonly IssueTrend[]> {
  return rowsOf(warehouse, TREND, new Map([['crawl', crawl]]), signal);
}

const SHARES = `
  WITH measure AS (
    SELECT pages.url, demand.clicks, hits.search_bot_hits,
      hits.url IS NOT NULL AND hits.search_bot_hits IS NULL AS has_unknown_hits
    FROM mart.pages AS pages
    LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
    LEFT JOIN mart.page_hits AS hits ON hits.crawl_id = pages.crawl_id AND hits.url = pages.url
    WHERE pages.crawl_id = $crawl AND (demand.url IS NOT NULL OR hits.url IS NOT NULL)),
  total AS (
    SELECT nullif(sum(clicks), 0) AS clicks,
      CASE WHEN NOT bool_or(has_unknown_hits) THEN nullif(sum(search_bot_hits), 0) END AS search_bot_hits
    FROM measure)
  SELECT found.issue,
    round(100 * CAST(coalesce(sum(measure.clicks), 0) AS DOUBLE) / max(total.clicks), 1) AS clicks_percent,
    round(100 * CAST(coalesce(sum(measure.search_bot_hits), 0) AS DOUBLE) / max(total.search_bot_hits), 1)
      AS search_bot_hits_percent
  FROM mart.page_issues AS found
  LEFT JOIN measure ON measure.url = found.url
  CROSS JOIN total
  WHERE found.crawl_id = $crawl
  GROUP BY found.issue`;

/** Reads every page of the crawl. */
export function readIssueShares(
  warehouse: CatalogReader,
  crawl: string,
  signal: AbortSignal,
): Promise<readonly IssueShare[]> {
  return rowsOf(warehouse, SHARES, new Map([['crawl', crawl]]), signal);
}
