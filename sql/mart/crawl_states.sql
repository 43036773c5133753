/*
name: mart.crawl_states
kind: view
description: >-
  The days on which the pages of a crawl show the state of the website, one row for each crawl. These days begin with
  the day on which the crawl starts, and end before the next crawl of its project and configuration starts. The first
  crawl of a configuration also covers all earlier days. Only comparable crawls with pages have days, unless a
  configuration has no such crawl. If several crawls start on one day, the day belongs to the last one
  (docs/definitions.md). Days are in UTC.
grain: [crawl_id]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  crawl_config_id: Identifier of its configuration (mart.crawls.crawl_config_id).
  from_date: First of these days; NULL for the first crawl of a configuration, which has all days before it.
  to_date: Last of these days; NULL for the last crawl.
*/
WITH
  candidate AS (
    SELECT
      crawl_id,
      project_id,
      crawl_config_id,
      coalesce(created_at, ended_at) AS started_at,
      CAST(coalesce(created_at, ended_at) AT TIME ZONE 'UTC' AS DATE) AS start_date,
      is_comparable OR NOT bool_or(is_comparable) OVER (PARTITION BY project_id, crawl_config_id) AS is_counted
    FROM mart.crawls
    WHERE has_pages AND coalesce(pages, 1) > 0 AND project_id IS NOT NULL
  ),

  placed AS (
    SELECT
      *,
      row_number() OVER (
        PARTITION BY project_id, crawl_config_id, start_date ORDER BY started_at DESC, crawl_id DESC
      ) AS place
    FROM candidate
    WHERE is_counted
  )

SELECT
  crawl_id,
  project_id,
  crawl_config_id,
  CASE
    WHEN row_number() OVER (PARTITION BY project_id, crawl_config_id ORDER BY start_date NULLS FIRST) > 1 THEN start_date
  END AS from_date,
  CAST(
    lead(start_date) OVER (PARTITION BY project_id, crawl_config_id ORDER BY start_date NULLS FIRST) - INTERVAL '1' DAY
    AS DATE
  ) AS to_date
FROM placed
WHERE place = 1
