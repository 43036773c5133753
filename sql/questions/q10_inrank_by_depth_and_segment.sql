/*
title: Inrank by depth and segment, and inrank lost to pages that are not 200
task: Links
model: mart.pages
description: >-
  Each row is a depth and a first directory, (directory), or a segment of the chosen segmentation. Covers the main crawl
  of each project, or the chosen crawl. The chosen segment is a first directory or a segment of the project's own
  segmentations. Lost is the percentage of the segment's inrank on pages with a status other than 200, on pages that
  robots.txt blocks, and on pages that did not respond. It is NULL if no page has an inrank.
parameters: [project, crawl, segmentation, segment, limit]
needs: [pages]
chart: {kind: line, x: depth, y: average_inrank, colour: segment, each: [project_name, crawl_id, segmentation]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, previous_crawl_id
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
      AND ($segmentation IS NULL OR crawl_id IN (SELECT crawl_id FROM mart.crawl_segments WHERE segmentation = $segmentation))
  ),

  member AS (
    SELECT crawl_id, url, segment
    FROM mart.page_segments
    WHERE segmentation = $segmentation AND crawl_id IN (SELECT crawl_id FROM chosen)
  ),

  placed AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      pages.crawl_id,
      pages.page_key,
      pages.depth,
      CASE coalesce($segmentation, '(directory)')
        WHEN '(directory)' THEN pages.url_first_path
        WHEN '(site)' THEN '(site)'
        ELSE member.segment
      END AS segment,
      -- Decimals have the same sum in any order.
      CAST(pages.inrank_decimal AS DECIMAL(18, 9)) AS inrank,
      pages.status_code <> 200 OR coalesce(pages.non_indexable_reason, '') IN ('robots_denied', 'no_answer') AS is_lost
    FROM chosen
    JOIN mart.pages AS pages ON pages.crawl_id = chosen.crawl_id
    LEFT JOIN member ON member.crawl_id = pages.crawl_id AND member.url = pages.url
  ),

  page AS (
    SELECT *
    FROM placed
    WHERE $segment IS NULL
      OR $segment IN (segment, coalesce($segmentation, '(directory)') || ':' || segment)
      OR ($segmentation IS NULL AND page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment)))
  ),

  counted AS (
    SELECT
      project_name,
      crawl_config_name,
      crawl_id,
      depth,
      segment,
      count(*) AS pages,
      count(inrank) AS known,
      sum(inrank) AS inrank,
      sum(CASE WHEN is_lost THEN inrank WHEN NOT is_lost THEN 0 * inrank END) AS lost
    FROM page
    GROUP BY project_name, crawl_config_name, crawl_id, depth, segment
  ),

  answer AS (
    SELECT
      project_name,
      crawl_config_name,
      crawl_id,
      depth,
      segment,
      pages,
      CAST(round(CAST(CAST(inrank AS DOUBLE) / nullif(known, 0) AS DECIMAL(38, 9)), 2) AS DOUBLE) AS average_inrank,
      CAST(round(CAST(CAST(100 * lost AS DOUBLE) / nullif(inrank, 0) AS DECIMAL(38, 9)), 1) AS DOUBLE) AS lost_percent
    FROM counted
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  depth,
  coalesce($segmentation, '(directory)') AS segmentation,
  segment,
  pages,
  average_inrank,
  lost_percent
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY depth, pages DESC, segment) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, depth, pages DESC, segment
