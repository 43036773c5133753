/*
title: Links and anchors into a segment that is defined by metrics, not by URL
model: mart.page_segments
description: >-
  Internal links into each segment of the project's own segmentations, whatever defines these. The main crawl of each
  project, or the crawl asked for; one row for each segment and anchor.
parameters: [project, crawl, segment, limit]
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
      links.crawl_id,
      segments.segmentation,
      segments.segment,
      links.anchor,
      count(*) AS links,
      count(CASE WHEN links.follow THEN 1 END) AS follow_links,
      count(DISTINCT links.origin) AS origin_pages,
      count(DISTINCT links.target) AS target_pages
    FROM chosen
    JOIN mart.page_segments AS segments ON segments.crawl_id = chosen.crawl_id
    JOIN mart.links AS links ON links.crawl_id = segments.crawl_id AND links.target = segments.url
    WHERE links.is_internal
      AND ($segment IS NULL OR segments.segment = $segment)
    GROUP BY
      chosen.project_name, chosen.crawl_config_name, links.crawl_id, segments.segmentation, segments.segment, links.anchor
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  segmentation,
  segment,
  anchor,
  links,
  follow_links,
  origin_pages,
  target_pages
FROM (
  SELECT *, row_number() OVER (PARTITION BY project_name, crawl_id ORDER BY segmentation, segment, links DESC, anchor) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, segmentation, segment, links DESC, anchor
