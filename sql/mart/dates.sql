/*
name: mart.dates
kind: view
description: >-
  A calendar with one row for each day in UTC, from the first to the last day on which a crawl ended or for which data are
  loaded, at most 10,000 days.
grain: [calendar_date]
columns:
  calendar_date: The day.
  year_number: Its year.
  quarter_number: Its quarter, 1 to 4.
  month_number: Its month, 1 to 12.
  day_of_month: Its day within the month, from 1.
  day_of_week: Its day within the week, 1 for Monday to 7 for Sunday.
  is_weekend: Whether it is a Saturday or a Sunday.
  week_start_date: The Monday of its week.
  month_start_date: The first day of its month.
reads:
  ops.loads:
    window_from: VARCHAR
    window_to: VARCHAR
*/
WITH
  known AS (
    SELECT CAST(ended_at AT TIME ZONE 'UTC' AS DATE) AS calendar_date
    FROM mart.crawls
    WHERE ended_at IS NOT NULL

    UNION ALL
    SELECT CAST(window_from AS DATE)
    FROM ops.loads
    WHERE window_from IS NOT NULL

    UNION ALL
    SELECT CAST(CAST(window_to AS DATE) - INTERVAL '1' DAY AS DATE)
    FROM ops.loads
    WHERE window_to IS NOT NULL
  ),

  span AS (
    SELECT min(calendar_date) AS first_date, max(calendar_date) AS last_date
    FROM known
  ),

  digit AS (
    SELECT n
    FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS digits(n)
  ),

  numbered AS (
    SELECT ones.n + 10 * tens.n + 100 * hundreds.n + 1000 * thousands.n AS n
    FROM digit AS ones
    CROSS JOIN digit AS tens
    CROSS JOIN digit AS hundreds
    CROSS JOIN digit AS thousands
  ),

  calendar AS (
    SELECT CAST(span.first_date + numbered.n * INTERVAL '1' DAY AS DATE) AS calendar_date
    FROM span
    CROSS JOIN numbered
    WHERE numbered.n <= date_diff('day', span.first_date, span.last_date)
  ),

  weekly AS (
    SELECT calendar_date, CAST(date_trunc('week', calendar_date) AS DATE) AS week_start_date
    FROM calendar
  )

SELECT
  calendar_date,
  extract(YEAR FROM calendar_date) AS year_number,
  extract(QUARTER FROM calendar_date) AS quarter_number,
  extract(MONTH FROM calendar_date) AS month_number,
  extract(DAY FROM calendar_date) AS day_of_month,
  date_diff('day', week_start_date, calendar_date) + 1 AS day_of_week,
  date_diff('day', week_start_date, calendar_date) > 4 AS is_weekend,
  week_start_date,
  CAST(date_trunc('month', calendar_date) AS DATE) AS month_start_date
FROM weekly
