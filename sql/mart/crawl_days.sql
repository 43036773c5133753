/*
name: mart.crawl_days
kind: view
description: >-
  Days of the log files, each with the crawl that it goes with: the latest crawl of the project, of those whose pages
  are loaded, that ended before the day did. Days are those of UTC.
grain: [project_id, day]
columns:
  project_id: Identifier of the project.
  day: Day with log files, by the service's own counts (mart.log_pages_days) or by their lines (mart.log_events).
  crawl_id: Identifier of the crawl; NULL for the days before the first one.
  from_day: First day with log files that goes with the crawl.
  to_day: Last such day.
*/
WITH
  crawl AS (
    SELECT project_id, crawl_id, epoch_us(ended_at) AS ended_us
    FROM mart.crawls
    WHERE has_pages AND ended_at IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY project_id, ended_at ORDER BY crawl_id DESC) = 1
  ),

  day AS (
    SELECT project_id, day, epoch_us(day + 1) AS end_us FROM mart.log_pages_days WHERE day IS NOT NULL
    UNION
    SELECT project_id, day, epoch_us(day + 1) FROM mart.log_events WHERE day IS NOT NULL
  )

SELECT
  day.project_id,
  day.day,
  crawl.crawl_id,
  min(day.day) OVER span AS from_day,
  max(day.day) OVER span AS to_day
FROM day
ASOF LEFT JOIN crawl ON crawl.project_id = day.project_id AND crawl.ended_us < day.end_us
WINDOW span AS (PARTITION BY day.project_id, crawl.crawl_id)
