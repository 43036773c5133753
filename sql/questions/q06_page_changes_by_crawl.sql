/*
title: Number of pages added, removed, moved, missing and changed in each crawl
task: What changed
model: mart.page_changes
description: >-
  Each row is a crawl with a previous crawl, and a kind of change. The latest crawls come first. Missing pages were not
  read again; q06_page_changes shows the reasons. A segment is a first directory or a segment of the project's own
  segmentations. A removed, moved or missing page counts in the segment of the previous crawl. The chart leaves out
  crawls that are not in trends, such as a stopped crawl.
parameters: [project, crawl, segment, limit]
needs: [crawl_before]
chart:
  kind: stacked
  x: ended_at
  y: pages
  colour: change
  each: [project_name, crawl_config_name]
  only: is_in_trends
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, ended_at, is_in_trends
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
      chosen.is_in_trends,
      changes.crawl_id,
      changes.previous_crawl_id,
      changes.change,
      count(*) AS pages
    FROM chosen
    JOIN mart.page_changes AS changes ON changes.crawl_id = chosen.crawl_id
    WHERE $segment IS NULL
      OR CASE WHEN changes.change IN ('removed', 'moved', 'missing') THEN changes.previous_crawl_id ELSE changes.crawl_id END || ' ' || changes.url IN (
        SELECT page_key FROM mart.pages WHERE $segment IN (url_first_path, '(directory):' || url_first_path)
        UNION ALL
        SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment)
      )
    GROUP BY
      chosen.project_id, chosen.project_name, chosen.crawl_config_name, chosen.ended_at, chosen.is_in_trends,
      changes.crawl_id, changes.previous_crawl_id, changes.change
  )

SELECT
  project_name,
  crawl_config_name,
  ended_at,
  crawl_id,
  is_in_trends,
  previous_crawl_id,
  change,
  pages
FROM (
  SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY ended_at DESC, crawl_id DESC, change) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, ended_at DESC, crawl_id DESC, change
