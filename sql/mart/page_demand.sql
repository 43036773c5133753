/*
name: mart.page_demand
kind: table
description: >-
  What each URL of a project had of search results in the last 28 days that the project's ranking performance reaches. A
  project without rows by day and URL in these days has the totals of its last period instead (mart.ranking_periods,
  docs/demand.md), whatever its length; then is_period_total is true.
grain: [project_id, url]
columns:
  project_id: Identifier of the project.
  url: Full URL that was shown (mart.ranking_performance.url).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  from_date: First of these days, or of the period; for all URLs of the project the same.
  to_date: Last of these days.
  clicks: Number of clicks on the URL.
  impressions: Number of times that it was shown.
  ctr: Clicks for each impression, 0 to 1; NULL without impressions.
  average_position: Average position, 1 is the first, weighted by impressions.
  queries: Number of different queries that it was shown for; NULL where a period's totals do not say it.
  top_query: The query with the most impressions.
  top_query_impressions: Impressions of that query.
  is_period_total: Whether the figures are totals of a period that an export has, and not sums of days.
renamed: {position: average_position}
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
    window_from: VARCHAR
incremental:
  by: project_id
  partitions: |
    SELECT source_id AS project_id, window_from, loaded_at
    FROM ops.loads
    WHERE dataset = 'ranking_performance'
*/
WITH
  -- Google's before others; of several periods the one that ends last, then the one by URL alone.
  offered AS (
    SELECT project_id, search_engine, totals_by, from_date, to_date,
      row_number() OVER (
        PARTITION BY project_id
        ORDER BY search_engine DESC, to_date DESC, length(totals_by), from_date
      ) AS place
    FROM (
      SELECT DISTINCT project_id, search_engine, totals_by, from_date, to_date
      FROM mart.ranking_periods
      WHERE url IS NOT NULL
    ) AS periods
  ),

  daily AS (
    SELECT project_id, max(date) AS to_date
    FROM mart.ranking_performance
    GROUP BY project_id
  ),

  chosen AS (
    SELECT offered.project_id, offered.search_engine, offered.totals_by, offered.from_date, offered.to_date
    FROM offered
    LEFT JOIN daily ON daily.project_id = offered.project_id
    WHERE offered.place = 1
      AND (daily.to_date IS NULL OR daily.to_date <= CAST(offered.to_date - INTERVAL '28' DAY AS DATE))
  ),

  period AS (
    SELECT daily.project_id, daily.to_date
    FROM daily
    WHERE NOT EXISTS (SELECT 1 FROM chosen WHERE chosen.project_id = daily.project_id)
  ),

  query AS (
    SELECT
      performance.project_id,
      performance.url,
      performance.query,
      CAST(period.to_date - INTERVAL '27' DAY AS DATE) AS from_date,
      period.to_date,
      false AS is_period_total,
      true AS has_queries,
      sum(performance.clicks) AS clicks,
      sum(performance.impressions) AS impressions,
      sum(CAST(performance.position_impressions AS DECIMAL(38, 9))) AS position_impressions,
      sum(performance.impressions) FILTER (WHERE performance.position IS NOT NULL) AS positioned_impressions
    FROM mart.ranking_performance AS performance
    JOIN period ON period.project_id = performance.project_id
    WHERE performance.date > period.to_date - INTERVAL '28' DAY AND performance.url IS NOT NULL
    GROUP BY performance.project_id, performance.url, performance.query, period.to_date

    UNION ALL
    SELECT
      periods.project_id,
      periods.url,
      periods.query,
      chosen.from_date,
      chosen.to_date,
      true,
      strpos(chosen.totals_by, 'query') > 0,
      sum(periods.clicks),
      sum(periods.impressions),
      sum(CAST(periods.position_impressions AS DECIMAL(38, 9))),
      sum(periods.impressions) FILTER (WHERE periods.position IS NOT NULL)
    FROM mart.ranking_periods AS periods
    JOIN chosen
      ON chosen.project_id = periods.project_id
      AND coalesce(chosen.search_engine, '') = coalesce(periods.search_engine, '')
      AND chosen.totals_by = periods.totals_by
      AND chosen.from_date = periods.from_date
      AND chosen.to_date = periods.to_date
    WHERE periods.url IS NOT NULL
    GROUP BY
      periods.project_id, periods.url, periods.query, chosen.from_date, chosen.to_date,
      strpos(chosen.totals_by, 'query') > 0
  ),

  -- A window spills to disk when there are very many URLs; the texts that arg_min(query, …) keeps can't.
  ranked AS (
    SELECT
      *,
      -- Of queries with as many impressions the first of the alphabet: the same rows give the same answer.
      first_value(query) OVER (
        PARTITION BY project_id, url
        ORDER BY CASE WHEN query IS NULL THEN 1 ELSE 0 END, impressions DESC, query
      ) AS top_query
    FROM query
  )

SELECT
  project_id,
  url,
  project_id || ' ' || url AS url_key,
  from_date,
  to_date,
  CAST(sum(ranked.clicks) AS BIGINT) AS clicks,
  CAST(sum(ranked.impressions) AS BIGINT) AS impressions,
  CAST(sum(ranked.clicks) AS DOUBLE) / nullif(sum(ranked.impressions), 0) AS ctr,
  CAST(sum(position_impressions) AS DOUBLE) / nullif(sum(positioned_impressions), 0) AS average_position,
  CASE WHEN has_queries THEN count(query) END AS queries,
  top_query,
  CAST(max(ranked.impressions) FILTER (WHERE query IS NOT NULL) AS BIGINT) AS top_query_impressions,
  is_period_total
FROM ranked
GROUP BY project_id, url, from_date, to_date, top_query, is_period_total, has_queries
