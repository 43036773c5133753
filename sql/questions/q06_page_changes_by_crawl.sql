/*
title: How many pages were added, removed and changed, crawl by crawl
model: mart.page_changes
description: >-
  One row for each crawl that has one before it, and kind of change. The last crawls come first.
parameters: [project, crawl, limit]
needs: [crawl_before]
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, previous_crawl_id, ended_at
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL OR crawl_id = $crawl)
  ),

  answer AS (
    SELECT
      chosen.project_id,
      chosen.project_name,
      chosen.crawl_config_name,
      chosen.ended_at,
      changes.crawl_id,
      changes.previous_crawl_id,
      changes.change,
      count(*) AS pages
    FROM chosen
    JOIN mart.page_changes AS changes ON changes.crawl_id = chosen.crawl_id
    GROUP BY
      chosen.project_id, chosen.project_name, chosen.crawl_config_name, chosen.ended_at, changes.crawl_id,
      changes.previous_crawl_id, changes.change
  )

SELECT
  project_name,
  crawl_config_name,
  ended_at,
  crawl_id,
  previous_crawl_id,
  change,
  pages
FROM (
  SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY ended_at DESC, crawl_id DESC, change) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, ended_at DESC, crawl_id DESC, change
