/*
name: mart.ranking_periods
kind: view
description: >-
  Totals of search results over a period, such as exports of Search Console or Bing (docs/demand.md). One row for each
  project, period and value of the counted dimension. Rows with the same totals_by and period add up. Rows with
  different ones count the same clicks again.
grain: [project_id, search_engine, totals_by, from_date, to_date, url, query, device, country]
columns:
  project_id: Identifier of the project (raw.ranking_performance._project_id).
  search_engine: {description: 'The search engine, google or bing (raw.ranking_performance.search_engine).', nullable: true}
  totals_by: >-
    Dimension of the totals, such as url or query; all for one row per period (raw.ranking_performance.totals_by).
  from_date: First day of the period.
  to_date: Last day of the period (raw.ranking_performance.date).
  period_days: Number of its days (raw.ranking_performance.period_days).
  url: {description: Full URL that was shown (raw.ranking_performance.url)., nullable: true}
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  query: {description: The search query (raw.ranking_performance.query)., nullable: true}
  device: {description: 'Kind of device, such as mobile (raw.ranking_performance.device).', nullable: true}
  country:
    description: >-
      Three-letter code of the country (raw.ranking_performance.country); NULL if the pipeline does not request
      countries.
    nullable: true
  clicks: Number of clicks in the period (raw.ranking_performance.clicks).
  impressions: Number of times that the URL was shown in the period (raw.ranking_performance.impressions).
  ctr: Clicks per impression, 0 to 1; NULL without impressions.
  position: >-
    Average position over the period, 1 is the first, weighted by impressions (raw.ranking_performance.position).
  position_impressions: Position times impressions, summed for the position of several rows.
reads:
  raw.ranking_performance:
    _project_id: VARCHAR
    date: DATE
    url: VARCHAR
    query: VARCHAR
    device: VARCHAR
    country: VARCHAR
    period_days: BIGINT
    totals_by: VARCHAR
    search_engine: VARCHAR
    clicks: BIGINT
    impressions: BIGINT
    position: DOUBLE
*/
SELECT
  _project_id AS project_id,
  search_engine,
  totals_by,
  CAST(performance.date - (performance.period_days - 1) * INTERVAL '1' DAY AS DATE) AS from_date,
  performance.date AS to_date,
  period_days,
  url,
  _project_id || ' ' || url AS url_key,
  query,
  device,
  country,
  CAST(sum(performance.clicks) AS BIGINT) AS clicks,
  CAST(sum(performance.impressions) AS BIGINT) AS impressions,
  CAST(sum(performance.clicks) AS DOUBLE) / nullif(sum(performance.impressions), 0) AS ctr,
  CAST(sum(CAST(performance.position * performance.impressions AS DECIMAL(38, 9))) AS DOUBLE)
    / nullif(sum(performance.impressions) FILTER (WHERE performance.position IS NOT NULL), 0) AS position,
  CAST(sum(CAST(performance.position * performance.impressions AS DECIMAL(38, 9))) AS DOUBLE) AS position_impressions
FROM raw.ranking_performance AS performance
WHERE performance.period_days IS NOT NULL
GROUP BY _project_id, search_engine, totals_by, performance.date, period_days, url, query, device, country
