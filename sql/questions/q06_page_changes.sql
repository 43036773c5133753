/*
title: Pages added, removed, moved, missing and changed since the previous crawl
task: What changed
model: mart.page_changes
description: >-
  Each row is a page that was added, removed, moved or not read again, with the reason. Or it is a page with a changed
  status, indexability, title, H1, description or canonical, with both values. Compares the main crawl of each project,
  or the chosen crawl, with the previous crawl of the same configuration. A value counts as changed only if both crawls
  read the page.
parameters: [project, crawl, limit]
needs: [crawl_before]
chart: {kind: bar, x: change, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, previous_crawl_id
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  answer AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      changes.crawl_id,
      changes.previous_crawl_id,
      changes.change,
      changes.url,
      changes."before",
      changes."after",
      changes.reason,
      changes.moved_to
    FROM chosen
    JOIN mart.page_changes AS changes ON changes.crawl_id = chosen.crawl_id
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  previous_crawl_id,
  change,
  url,
  "before",
  "after",
  reason,
  moved_to
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY change, url) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, change, url
