/*
name: mart.crawl_days
kind: table
description: >-
  The days of log files and of search results that belong to each crawl with pages (docs/definitions.md). They are the
  28 days (the crawl_days setting) until the last day with data in a period. The period begins 28 days before the
  crawl's start and ends with the start of the next crawl of its configuration. All figures of a crawl that depend on
  days use these days. A day may belong to several crawls. Days are in UTC.
grain: [project_id, crawl_id, kind, data_date]
columns:
  project_id: Identifier of the project.
  crawl_id: {description: Identifier of the crawl; NULL in a project that has no crawl with pages., nullable: true}
  kind: {description: Kind of data of the day., tests: [{accepted_values: [logs, search]}]}
  data_date: >-
    Day with log files (mart.log_days.day) or with search results (mart.ranking_days.ranking_date). Totals of a period
    (mart.ranking_periods) are one row, for the last day of the period.
  dataset: >-
    Source of the day's numbers: log_events or log_pages_days (mart.log_days.dataset); ranking_performance, or
    ranking_periods for totals of a period.
  from_date: First of the days that belong to the crawl, or of the period, the same for each kind; it may have no data.
  to_date: Last of these days, which has data.
renamed: {day: data_date, from_day: from_date, to_day: to_date}
*/
WITH
  candidate AS (
    SELECT
      project_id,
      crawl_id,
      is_latest,
      coalesce(crawl_config_id, '') AS config,
      coalesce(created_at, ended_at) AS started_at,
      CAST(coalesce(created_at, ended_at) AT TIME ZONE 'UTC' AS DATE) AS start_date,
      -- A stopped crawl does not end the days of others, unless there is no other crawl.
      is_comparable OR NOT bool_or(is_comparable) OVER (PARTITION BY project_id, crawl_config_id) AS is_next
    FROM mart.crawls
    WHERE has_pages AND coalesce(pages, 1) > 0 AND project_id IS NOT NULL
  ),

  followed AS (
    SELECT
      project_id,
      crawl_id,
      is_latest,
      start_date,
      min(CASE WHEN is_next THEN start_date END) OVER (
        PARTITION BY project_id, config
        ORDER BY started_at, crawl_id
        ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
      ) AS next_date
    FROM candidate
  ),

  loaded AS (
    SELECT project_id, 'logs' AS kind, day, dataset
    FROM mart.log_days

    UNION ALL
    SELECT project_id, 'search', ranking_date, 'ranking_performance'
    FROM mart.ranking_days
  ),

  period AS (
    SELECT DISTINCT project_id, search_engine, totals_by, from_date, to_date
    FROM mart.ranking_periods
    WHERE url IS NOT NULL
  ),

  -- The days of a crawl without a start are unknown. The latest one has the last days of all.
  span AS (
    SELECT
      project_id,
      crawl_id,
      start_date,
      CASE WHEN NOT is_latest THEN next_date END AS next_date,
      setting.days AS length
    FROM followed
    CROSS JOIN settings.crawl_days AS setting
    WHERE start_date IS NOT NULL OR is_latest

    UNION ALL
    SELECT other.project_id, CAST(NULL AS VARCHAR), CAST(NULL AS DATE), CAST(NULL AS DATE), setting.days
    FROM (SELECT project_id FROM loaded UNION SELECT project_id FROM period) AS other
    CROSS JOIN settings.crawl_days AS setting
    WHERE NOT EXISTS (SELECT 1 FROM candidate WHERE candidate.project_id = other.project_id)
  ),

  near AS (
    SELECT
      loaded.project_id,
      span.crawl_id,
      loaded.kind,
      loaded.day,
      loaded.dataset,
      span.length,
      max(CASE WHEN coalesce(date_diff('day', loaded.day, span.start_date) <= span.length, true) THEN loaded.day END)
        OVER (PARTITION BY loaded.project_id, span.crawl_id, loaded.kind) AS to_date
    FROM loaded
    JOIN span
      ON span.project_id = loaded.project_id
      AND coalesce(loaded.day < span.next_date, true)
      AND coalesce(date_diff('day', loaded.day, span.start_date) < 2 * span.length, true)
  ),

  daily AS (
    SELECT
      project_id,
      crawl_id,
      kind,
      day,
      dataset,
      CAST(to_date - (length - 1) * INTERVAL '1' DAY AS DATE) AS from_date,
      to_date
    FROM near
    WHERE date_diff('day', day, to_date) < length
  ),

  -- Google before other engines. Of several periods, the one that ends last, then the one by URL alone.
  offered AS (
    SELECT
      span.project_id,
      span.crawl_id,
      span.length,
      period.from_date,
      period.to_date,
      row_number() OVER (
        PARTITION BY span.project_id, span.crawl_id
        ORDER BY period.search_engine DESC, period.to_date DESC, length(period.totals_by), period.from_date
      ) AS place
    FROM period
    JOIN span
      ON span.project_id = period.project_id
      AND coalesce(period.to_date < span.next_date, true)
      AND coalesce(date_diff('day', period.to_date, span.start_date) <= span.length, true)
  ),

  -- Totals replace days that are missing or older.
  total AS (
    SELECT offered.project_id, offered.crawl_id, offered.from_date, offered.to_date
    FROM offered
    LEFT JOIN (SELECT DISTINCT project_id, crawl_id, to_date FROM daily WHERE kind = 'search') AS searched
      ON searched.project_id = offered.project_id
      AND searched.crawl_id IS NOT DISTINCT FROM offered.crawl_id
    WHERE offered.place = 1
      AND coalesce(date_diff('day', searched.to_date, offered.to_date) >= offered.length, true)
  )

SELECT
  daily.project_id,
  daily.crawl_id,
  daily.kind,
  daily.day AS data_date,
  daily.dataset,
  daily.from_date,
  daily.to_date
FROM daily
LEFT JOIN total
  ON total.project_id = daily.project_id
  AND total.crawl_id IS NOT DISTINCT FROM daily.crawl_id
  AND daily.kind = 'search'
WHERE total.project_id IS NULL

UNION ALL
SELECT project_id, crawl_id, 'search', to_date, 'ranking_periods', from_date, to_date
FROM total
