/*
name: mart.ranking_days
kind: view
description: >-
  Days with loaded search results of each project, from the first window with rows to the last one. A day without rows
  between these windows had no results, and is included. Empty days before the first and after the last window may not
  be available yet. A window that contains only totals of a period (mart.ranking_periods) is treated as a window without
  rows.
grain: [project_id, ranking_date]
columns:
  project_id: Identifier of the project.
  ranking_date: Day of the search results, in UTC.
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    window_from: VARCHAR
    window_to: VARCHAR
    loaded: BIGINT
*/
WITH
  loads AS (
    SELECT source_id AS project_id, CAST(window_from AS DATE) AS from_date, CAST(window_to AS DATE) AS to_date, loaded
    FROM ops.loads
    WHERE dataset = 'ranking_performance' AND window_from IS NOT NULL AND window_to IS NOT NULL
  ),

  totals AS (
    SELECT DISTINCT project_id, to_date AS total_date
    FROM mart.ranking_periods
  ),

  -- Projects that have totals.
  daily AS (
    SELECT DISTINCT performance.project_id, performance.date AS daily_date
    FROM mart.ranking_performance AS performance
    JOIN (SELECT DISTINCT project_id FROM totals) AS projects ON projects.project_id = performance.project_id
  ),

  with_rows AS (
    SELECT loads.project_id, loads.from_date, loads.to_date
    FROM loads
    LEFT JOIN totals
      ON totals.project_id = loads.project_id
      AND totals.total_date >= loads.from_date
      AND totals.total_date < loads.to_date
    LEFT JOIN daily
      ON daily.project_id = loads.project_id
      AND daily.daily_date >= loads.from_date
      AND daily.daily_date < loads.to_date
    WHERE loads.loaded > 0
    GROUP BY loads.project_id, loads.from_date, loads.to_date
    HAVING count(totals.total_date) = 0 OR count(daily.daily_date) > 0
  ),

  span AS (
    SELECT project_id, min(from_date) AS from_date, max(to_date) AS to_date
    FROM with_rows
    GROUP BY project_id
  ),

  digit AS (
    SELECT n
    FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS digits(n)
  ),

  -- A window has at most a month.
  numbered AS (
    SELECT ones.n + 10 * tens.n AS n
    FROM digit AS ones
    CROSS JOIN digit AS tens
    WHERE ones.n + 10 * tens.n < 31
  )

SELECT DISTINCT loads.project_id, CAST(loads.from_date + numbered.n * INTERVAL '1' DAY AS DATE) AS ranking_date
FROM loads
JOIN span
  ON span.project_id = loads.project_id AND loads.from_date >= span.from_date AND loads.to_date <= span.to_date
CROSS JOIN numbered
WHERE numbered.n < date_diff('day', loads.from_date, loads.to_date)
