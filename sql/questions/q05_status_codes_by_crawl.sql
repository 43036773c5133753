/*
title: Status codes per crawl and segment over time
task: What changed
model: mart.status_codes_by_crawl
description: >-
  Each row is a crawl, a segment of the project's own segmentations and an HTTP status. Rows without a segment cover all
  pages of the crawl. The chosen segment may also be a first directory. Status NULL means pages without a response. The
  latest crawls come first. The chart leaves out crawls that are not in trends, such as a stopped crawl.
parameters: [project, crawl, segment, limit]
needs: [pages]
chart:
  kind: stacked
  x: ended_at
  y: pages
  colour: status_code_range
  each: [project_name, crawl_config_name, segmentation, segment]
  only: is_in_trends
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, ended_at, is_in_trends
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL OR crawl_id = $crawl)
  ),

  codes AS (
    SELECT
      crawl_id, CAST(NULL AS VARCHAR) AS segmentation, CAST(NULL AS VARCHAR) AS segment, status_code, status_code_range,
      pages, pages_percent
    FROM mart.status_codes_by_crawl
    WHERE $segment IS NULL

    UNION ALL
    SELECT crawl_id, segmentation, segment, status_code, status_code_range, pages, pages_percent
    FROM mart.status_codes_by_segment
    WHERE $segment IS NULL OR $segment IN (segment, segmentation || ':' || segment)

    UNION ALL
    SELECT
      crawl_id, '(directory)', url_first_path, status_code, max(status_code_range), count(*),
      CAST(100 * count(*) AS DOUBLE) / sum(count(*)) OVER (PARTITION BY crawl_id)
    FROM mart.pages
    WHERE $segment IN (url_first_path, '(directory):' || url_first_path)
    GROUP BY crawl_id, url_first_path, status_code
  ),

  answer AS (
    SELECT
      chosen.project_id,
      chosen.project_name,
      chosen.crawl_config_name,
      chosen.ended_at,
      chosen.is_in_trends,
      codes.crawl_id,
      codes.segmentation,
      codes.segment,
      codes.status_code,
      codes.status_code_range,
      codes.pages,
      CAST(round(CAST(codes.pages_percent AS DECIMAL(38, 9)), 1) AS DOUBLE) AS pages_percent
    FROM chosen
    JOIN codes ON codes.crawl_id = chosen.crawl_id
  )

SELECT
  project_name,
  crawl_config_name,
  ended_at,
  crawl_id,
  is_in_trends,
  segmentation,
  segment,
  status_code,
  status_code_range,
  pages,
  pages_percent
FROM (
  SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY ended_at DESC, crawl_id DESC, segmentation NULLS FIRST, segment, status_code) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, ended_at DESC, crawl_id DESC, segmentation NULLS FIRST, segment, status_code
