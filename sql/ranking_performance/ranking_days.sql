/*
name: mart.ranking_days
kind: view
description: >-
  Days whose search results are loaded, of each project: from the first window with rows to the last one with rows.
  A day between them without rows had none, and counts; empty days before the first and after the last may only not be
  there yet.
grain: [project_id, ranking_date]
columns:
  project_id: Identifier of the project.
  ranking_date: Day of the search results, of UTC.
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

  span AS (
    SELECT project_id, min(from_date) AS from_date, max(to_date) AS to_date
    FROM loads
    WHERE loaded > 0
    GROUP BY project_id
  ),

  digit AS (
    SELECT n
    FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS digits(n)
  ),

  -- A window has a month at the most.
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
