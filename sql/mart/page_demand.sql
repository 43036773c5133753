/*
name: mart.page_demand
kind: table
description: >-
  What each URL of a project had of search results in the last 28 days that the project's ranking performance reaches.
grain: [project_id, url]
columns:
  project_id: Identifier of the project.
  url: Full URL that was shown (mart.ranking_performance.url).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  from_date: First of these days, for all URLs of the project the same.
  to_date: Last of these days.
  clicks: Number of clicks on the URL.
  impressions: Number of times that it was shown.
  ctr: Clicks for each impression, 0 to 1; NULL without impressions.
  average_position: Average position, 1 is the first, weighted by impressions.
  queries: Number of different queries that it was shown for.
  top_query: The query with the most impressions.
  top_query_impressions: Impressions of that query.
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
  period AS (
    SELECT project_id, max(date) AS to_date
    FROM mart.ranking_performance
    GROUP BY project_id
  ),

  query AS (
    SELECT
      performance.project_id,
      performance.url,
      performance.query,
      period.to_date,
      sum(performance.clicks) AS clicks,
      sum(performance.impressions) AS impressions,
      sum(CAST(performance.position_impressions AS DECIMAL(38, 9))) AS position_impressions,
      sum(performance.impressions) FILTER (WHERE performance.position IS NOT NULL) AS positioned_impressions
    FROM mart.ranking_performance AS performance
    JOIN period ON period.project_id = performance.project_id
    WHERE performance.date > period.to_date - INTERVAL '28' DAY AND performance.url IS NOT NULL
    GROUP BY performance.project_id, performance.url, performance.query, period.to_date
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
  CAST(to_date - INTERVAL '27' DAY AS DATE) AS from_date,
  to_date,
  CAST(sum(ranked.clicks) AS BIGINT) AS clicks,
  CAST(sum(ranked.impressions) AS BIGINT) AS impressions,
  CAST(sum(ranked.clicks) AS DOUBLE) / nullif(sum(ranked.impressions), 0) AS ctr,
  CAST(sum(position_impressions) AS DOUBLE) / nullif(sum(positioned_impressions), 0) AS average_position,
  count(query) AS queries,
  top_query,
  CAST(max(ranked.impressions) FILTER (WHERE query IS NOT NULL) AS BIGINT) AS top_query_impressions
FROM ranked
GROUP BY project_id, url, to_date, top_query
