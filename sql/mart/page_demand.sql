/*
name: mart.page_demand
kind: table
description: >-
  Search results of each URL of a project on the days of a crawl (mart.crawl_days). Without daily rows for these days,
  the row has the totals of a period of any length (mart.ranking_periods, docs/demand.md), and is_period_total is true.
  Do not add up totals of several crawls, because a day may belong to more than one.
grain: [project_id, crawl_id, url]
columns:
  project_id: Identifier of the project.
  crawl_id: {description: Identifier of the crawl; NULL in a project that has no crawl with pages., nullable: true}
  url: Full URL that was shown (mart.ranking_performance.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  from_date: First of these days, or of the period; the same for all URLs of the crawl (mart.crawl_days.from_date).
  to_date: Last of these days.
  clicks: Number of clicks on the URL.
  impressions: Number of times that the URL was shown.
  ctr: Clicks per impression, 0 to 1; NULL without impressions.
  average_position: Average position, 1 is the first, weighted by impressions.
  queries: Number of different queries that the URL was shown for; NULL if the search results do not name queries.
  top_query: The query with the most impressions.
  top_query_impressions: Impressions of that query.
  is_period_total: Whether the figures are totals of a period from an export, not sums of days.
renamed: {position: average_position}
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
    window_from: VARCHAR
    window_to: VARCHAR
incremental:
  by: [project_id, crawl_id]
  within: {mart.ranking_performance: [project_id], mart.ranking_periods: [project_id]}
  partitions: |
    SELECT days.project_id, days.crawl_id, days.from_date, days.to_date, loads.window_from, loads.loaded_at
    FROM (
      SELECT DISTINCT project_id, crawl_id, from_date, to_date FROM mart.crawl_days WHERE kind = 'search'
    ) AS days
    JOIN ops.loads AS loads
      ON loads.source_id = days.project_id
      AND CAST(loads.window_from AS DATE) <= days.to_date
      AND CAST(loads.window_to AS DATE) > days.from_date
    WHERE loads.dataset = 'ranking_performance'
*/
WITH
  -- Of the totals of a period, those of Google before others, then those by URL alone.
  offered AS (
    SELECT
      held.project_id,
      held.crawl_id,
      held.from_date,
      held.to_date,
      periods.search_engine,
      periods.totals_by,
      row_number() OVER (
        PARTITION BY held.project_id, held.crawl_id ORDER BY periods.search_engine DESC, length(periods.totals_by)
      ) AS place
    FROM mart.crawl_days AS held
    JOIN (
      SELECT DISTINCT project_id, search_engine, totals_by, from_date, to_date
      FROM mart.ranking_periods
      WHERE url IS NOT NULL
    ) AS periods
      ON periods.project_id = held.project_id
      AND periods.from_date = held.from_date
      AND periods.to_date = held.to_date
    WHERE held.dataset = 'ranking_periods'
  ),

  query AS (
    SELECT
      held.project_id,
      held.crawl_id,
      performance.url,
      performance.query,
      held.from_date,
      held.to_date,
      false AS is_period_total,
      sum(performance.clicks) AS clicks,
      sum(performance.impressions) AS impressions,
      sum(CAST(performance.position_impressions AS DECIMAL(38, 9))) AS position_impressions,
      sum(performance.impressions) FILTER (WHERE performance.position IS NOT NULL) AS positioned_impressions
    FROM mart.ranking_performance AS performance
    JOIN mart.crawl_days AS held ON held.project_id = performance.project_id AND held.data_date = performance.date
    WHERE held.dataset = 'ranking_performance' AND performance.url IS NOT NULL
    GROUP BY held.project_id, held.crawl_id, performance.url, performance.query, held.from_date, held.to_date

    UNION ALL
    SELECT
      offered.project_id,
      offered.crawl_id,
      periods.url,
      periods.query,
      offered.from_date,
      offered.to_date,
      true,
      sum(periods.clicks),
      sum(periods.impressions),
      sum(CAST(periods.position_impressions AS DECIMAL(38, 9))),
      sum(periods.impressions) FILTER (WHERE periods.position IS NOT NULL)
    FROM mart.ranking_periods AS periods
    JOIN offered
      ON offered.project_id = periods.project_id
      AND coalesce(offered.search_engine, '') = coalesce(periods.search_engine, '')
      AND offered.totals_by = periods.totals_by
      AND offered.from_date = periods.from_date
      AND offered.to_date = periods.to_date
    WHERE offered.place = 1 AND periods.url IS NOT NULL
    GROUP BY
      offered.project_id, offered.crawl_id, periods.url, periods.query, offered.from_date, offered.to_date
  ),

  -- A window spills to disk when there are very many URLs; the texts of arg_min(query, …) cannot.
  ranked AS (
    SELECT
      *,
      -- Of queries with equal impressions, the first in alphabetical order, so that the result is stable.
      first_value(query) OVER (
        PARTITION BY project_id, crawl_id, url
        ORDER BY CASE WHEN query IS NULL THEN 1 ELSE 0 END, impressions DESC, query
      ) AS top_query
    FROM query
  )

SELECT
  project_id,
  crawl_id,
  url,
  crawl_id || ' ' || url AS page_key,
  project_id || ' ' || url AS url_key,
  from_date,
  to_date,
  CAST(sum(ranked.clicks) AS BIGINT) AS clicks,
  CAST(sum(ranked.impressions) AS BIGINT) AS impressions,
  CAST(sum(ranked.clicks) AS DOUBLE) / nullif(sum(ranked.impressions), 0) AS ctr,
  CAST(sum(position_impressions) AS DOUBLE) / nullif(sum(positioned_impressions), 0) AS average_position,
  nullif(count(query), 0) AS queries,
  top_query,
  CAST(max(ranked.impressions) FILTER (WHERE query IS NOT NULL) AS BIGINT) AS top_query_impressions,
  is_period_total
FROM ranked
GROUP BY project_id, crawl_id, url, from_date, to_date, top_query, is_period_total
