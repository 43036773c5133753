/*
name: mart.ranking_performance
kind: table
description: >-
  Clicks, impressions and position in search results, one row for each project, day, URL, query and device. A dimension
  that the pipeline does not request is NULL on every row. Totals of a period are in mart.ranking_periods instead.
grain: [project_id, date, url, query, device]
columns:
  project_id: Identifier of the project (raw.ranking_performance._project_id).
  date: Day of the searches (the window in which it was loaded, else raw.ranking_performance.date).
  url: {description: Full URL that was shown (raw.ranking_performance.url)., nullable: true}
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  query: {description: The search query (raw.ranking_performance.query)., nullable: true}
  device: {description: 'Kind of device, such as mobile (raw.ranking_performance.device).', nullable: true}
  clicks:
    description: Number of clicks on the URL (raw.ranking_performance.clicks).
    tests: [{not_null: true, severity: warn}]
  impressions:
    description: Number of times that the URL was shown (raw.ranking_performance.impressions).
    tests: [{not_null: true, severity: warn}]
  ctr: >-
    Clicks per impression, 0 to 1; NULL without impressions. For several rows, use sum(clicks) / sum(impressions), never
    an average.
  position: >-
    Average position, 1 is the first, weighted by impressions (raw.ranking_performance.position). For several rows, use
    sum(position_impressions) / sum(impressions) FILTER (WHERE position IS NOT NULL).
  position_impressions: Position times impressions, summed for the position of several rows.
reads:
  raw.ranking_performance:
    _project_id: VARCHAR
    _window: VARCHAR
    date: DATE
    url: VARCHAR
    query: VARCHAR
    device: VARCHAR
    clicks: BIGINT
    impressions: BIGINT
    position: DOUBLE
    period_days: BIGINT
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    window_from: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: [project_id, date]
  partitions: |
    SELECT source_id AS project_id, CAST(window_from AS DATE) AS date, loaded_at
    FROM ops.loads
    WHERE dataset = 'ranking_performance'
tests:
  - name: there are no more clicks than impressions
    query: SELECT * FROM mart.ranking_performance WHERE clicks > impressions
    severity: warn
*/
-- A pipeline may request more dimensions, such as country. Then several rows are combined into one here.
SELECT
  _project_id AS project_id,
  coalesce(CAST(_window AS DATE), performance.date) AS date,
  url,
  _project_id || ' ' || url AS url_key,
  query,
  device,
  CAST(sum(performance.clicks) AS BIGINT) AS clicks,
  CAST(sum(performance.impressions) AS BIGINT) AS impressions,
  CAST(sum(performance.clicks) AS DOUBLE) / nullif(sum(performance.impressions), 0) AS ctr,
  -- Decimals, whose sum does not depend on the order of the rows.
  CAST(sum(CAST(performance.position * performance.impressions AS DECIMAL(38, 9))) AS DOUBLE)
    / nullif(sum(performance.impressions) FILTER (WHERE performance.position IS NOT NULL), 0) AS position,
  CAST(sum(CAST(performance.position * performance.impressions AS DECIMAL(38, 9))) AS DOUBLE) AS position_impressions
FROM raw.ranking_performance AS performance
-- Totals would count the clicks of the other rows again.
WHERE performance.period_days IS NULL
GROUP BY _project_id, coalesce(CAST(_window AS DATE), performance.date), url, query, device
