/*
name: mart.page_demand
kind: table
description: >-
  What each URL of a project had of search results in the last 28 days that the project's ranking performance reaches.
grain: [project_id, url]
columns:
  project_id: Identifier of the project.
  url: Full URL that was shown (mart.ranking_performance.url).
  from_date: First of these days, for all URLs of the project the same.
  to_date: Last of these days.
  clicks: Number of clicks on the URL.
  impressions: Number of times that it was shown.
  ctr: Clicks for each impression, 0 to 1; NULL without impressions.
  position: Average position, 1 is the first, weighted by impressions.
  queries: Number of different queries that it was shown for.
  top_query: The query with the most impressions.
  top_query_impressions: Impressions of that query.
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
    window_from: VARCHAR
incremental:
  by: project_id
  pieces: |
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
      sum(performance.position_impressions) AS position_impressions,
      sum(performance.impressions) FILTER (performance.position IS NOT NULL) AS positioned_impressions
    FROM mart.ranking_performance AS performance
    JOIN period ON period.project_id = performance.project_id
    WHERE performance.date > period.to_date - 28 AND performance.url IS NOT NULL
    GROUP BY performance.project_id, performance.url, performance.query, period.to_date
  )

SELECT
  project_id,
  url,
  to_date - 27 AS from_date,
  to_date,
  sum(query.clicks)::BIGINT AS clicks,
  sum(query.impressions)::BIGINT AS impressions,
  sum(query.clicks) / nullif(sum(query.impressions), 0) AS ctr,
  sum(position_impressions) / nullif(sum(positioned_impressions), 0) AS position,
  count(query.query) AS queries,
  -- Of queries with as many impressions the first of the alphabet: the same rows give the same answer.
  arg_min(query.query, (-query.impressions, query.query)) FILTER (query.query IS NOT NULL) AS top_query,
  max(query.impressions) FILTER (query.query IS NOT NULL)::BIGINT AS top_query_impressions
FROM query
GROUP BY project_id, url, to_date
