/*
title: Inrank by depth and segment, and what is lost to pages that are not 200
model: mart.pages
description: >-
  The main crawl of each project, or the crawl asked for; the rows are by first directory. The segment
  asked for is a first directory or one of the project's own segmentations. Lost is the
  percentage of the segment's inrank that stands on pages with another status than 200, or that robots.txt denies or that
  did not answer; NULL where no inrank is known.
parameters: [project, crawl, segment, limit]
needs: [pages]
chart: {kind: line, x: depth, y: average_inrank, colour: url_first_path, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, previous_crawl_id
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  page AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      pages.crawl_id,
      pages.depth,
      pages.url_first_path,
      -- Decimals add up to the same sum in any order.
      CAST(pages.inrank_decimal AS DECIMAL(18, 9)) AS inrank,
      pages.status_code <> 200 OR pages.non_indexable_reason IN ('robots_denied', 'no_answer') AS is_lost
    FROM chosen
    JOIN mart.pages AS pages ON pages.crawl_id = chosen.crawl_id
    WHERE $segment IS NULL
      OR pages.url_first_path = $segment
      OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE segment = $segment)
  ),

  counted AS (
    SELECT
      project_name,
      crawl_config_name,
      crawl_id,
      depth,
      url_first_path,
      count(*) AS pages,
      count(inrank) AS known,
      sum(inrank) AS inrank,
      sum(CASE WHEN is_lost THEN inrank END) AS lost
    FROM page
    GROUP BY project_name, crawl_config_name, crawl_id, depth, url_first_path
  ),

  answer AS (
    SELECT
      project_name,
      crawl_config_name,
      crawl_id,
      depth,
      url_first_path,
      pages,
      CAST(round(CAST(CAST(inrank AS DOUBLE) / nullif(known, 0) AS DECIMAL(38, 9)), 2) AS DOUBLE) AS average_inrank,
      CASE
        WHEN known > 0
          THEN coalesce(CAST(round(CAST(CAST(100 * lost AS DOUBLE) / nullif(inrank, 0) AS DECIMAL(38, 9)), 1) AS DOUBLE), 0)
      END AS lost_percent
    FROM counted
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  depth,
  url_first_path,
  pages,
  average_inrank,
  lost_percent
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY depth, pages DESC, url_first_path) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, depth, pages DESC, url_first_path
