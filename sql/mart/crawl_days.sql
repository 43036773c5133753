/*
name: mart.crawl_days
kind: view
description: >-
  Days of the log files, each with the crawl that it goes with: the last crawl that ended before the day did, of the
  complete crawls with pages of the project's main configuration (that of mart.crawls.is_main; of any where there is no
  such crawl). Where the main crawl is not complete, all crawls of its configuration with pages count. The 28 days before
  the first crawl go with it too: log files are older than the first crawl of a website. Days are those of UTC.
grain: [project_id, day]
columns:
  project_id: Identifier of the project.
  day: Day with log files (mart.log_days.day).
  dataset: What the numbers of the day are from, log_events or log_pages_days (mart.log_days.dataset).
  crawl_id: Identifier of the crawl; NULL for days that are more than 28 days before the first one.
  from_date: First day with log files that goes with the crawl.
  to_date: Last such day.
renamed: {from_day: from_date, to_day: to_date}
*/
WITH
  candidate AS (
    SELECT
      project_id,
      crawl_id,
      has_pages AND coalesce(pages, 1) > 0 AS has_rows,
      is_complete,
      bool_or(is_main AND NOT is_complete) OVER (PARTITION BY project_id) AS main_is_incomplete,
      coalesce(crawl_config_id, '') AS config,
      max(CASE WHEN is_main THEN coalesce(crawl_config_id, '') END) OVER (PARTITION BY project_id) AS main_config,
      date_diff('millisecond', TIMESTAMPTZ '1970-01-01 00:00:00+00:00', ended_at) AS ended_ms
    FROM mart.crawls
  ),

  crawl AS (
    SELECT project_id, ended_ms, max(crawl_id) AS crawl_id
    FROM candidate
    WHERE has_rows
      AND (is_complete OR main_is_incomplete)
      AND config = coalesce(main_config, config)
      AND ended_ms IS NOT NULL
    GROUP BY project_id, ended_ms
  ),

  span AS (
    SELECT
      project_id,
      crawl_id,
      ended_ms,
      lag(ended_ms) OVER (PARTITION BY project_id ORDER BY ended_ms) AS former_ended_ms,
      lead(ended_ms) OVER (PARTITION BY project_id ORDER BY ended_ms) AS next_ended_ms
    FROM crawl
  ),

  joined AS (
    SELECT days.project_id, days.day, days.dataset, span.crawl_id
    FROM mart.log_days AS days
    LEFT JOIN span
      ON span.project_id = days.project_id
      AND span.ended_ms - CASE WHEN span.former_ended_ms IS NULL THEN 28 * CAST(86400000 AS BIGINT) ELSE 0 END
        < (date_diff('day', DATE '1970-01-01', days.day) + 1) * 86400000
      AND coalesce(span.next_ended_ms >= (date_diff('day', DATE '1970-01-01', days.day) + 1) * 86400000, true)
  )

SELECT
  project_id,
  day,
  dataset,
  crawl_id,
  min(day) OVER (PARTITION BY project_id, crawl_id) AS from_date,
  max(day) OVER (PARTITION BY project_id, crawl_id) AS to_date
FROM joined
