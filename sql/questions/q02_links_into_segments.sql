/*
title: Links and anchors into a segment that is defined by metrics, not by URL
model: mart.page_segments
description: >-
  Internal links into each segment of the project's own segmentations, whatever defines these. The main crawl of each
  project, or the crawl asked for; one row for each segment and anchor.
parameters: [project, crawl, segment, limit]
needs: [links, segments]
chart: {kind: bar, x: segment, y: links, each: [project_name, crawl_id, segmentation]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  -- To count different numbers takes a fraction of the memory that different URLs take.
  page AS (
    SELECT crawl_id, url, CAST(row_number() OVER (ORDER BY crawl_id, url) AS INTEGER) AS number
    FROM mart.pages
    WHERE crawl_id IN (SELECT crawl_id FROM chosen)
  ),

  segment AS (
    SELECT
      crawl_id,
      segmentation,
      segment,
      CAST(row_number() OVER (ORDER BY crawl_id, segmentation, segment) AS INTEGER) AS number
    FROM (
      SELECT DISTINCT crawl_id, segmentation, segment
      FROM mart.page_segments
      WHERE crawl_id IN (SELECT crawl_id FROM chosen)
        AND ($segment IS NULL OR segment = $segment)
    ) AS known
  ),

  member AS (
    SELECT page.number AS page_number, segment.number AS segment_number
    FROM mart.page_segments AS segments
    JOIN segment
      ON segment.crawl_id = segments.crawl_id
        AND segment.segmentation = segments.segmentation
        AND segment.segment = segments.segment
    JOIN page ON page.crawl_id = segments.crawl_id AND page.url = segments.url
  ),

  link AS (
    SELECT
      links.anchor,
      links.follow,
      origins.number AS origin_number,
      CASE WHEN origins.number IS NULL THEN links.origin END AS unknown_origin,
      targets.number AS target_number
    FROM mart.links AS links
    JOIN page AS targets ON targets.crawl_id = links.crawl_id AND targets.url = links.target
    LEFT JOIN page AS origins ON origins.crawl_id = links.crawl_id AND origins.url = links.origin
    WHERE links.is_internal
      AND links.crawl_id IN (SELECT crawl_id FROM chosen)
  ),

  counted AS (
    SELECT
      member.segment_number,
      link.anchor,
      count(*) AS links,
      count(CASE WHEN link.follow THEN 1 END) AS follow_links,
      -- Few origins are unknown: without the filter, all the others fill a hash table for nothing.
      count(DISTINCT link.origin_number)
        + count(DISTINCT link.unknown_origin) FILTER (WHERE link.unknown_origin IS NOT NULL) AS origin_pages,
      count(DISTINCT link.target_number) AS target_pages
    FROM link
    JOIN member ON member.page_number = link.target_number
    GROUP BY member.segment_number, link.anchor
  ),

  answer AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      segment.crawl_id,
      segment.segmentation,
      segment.segment,
      counted.anchor,
      counted.links,
      counted.follow_links,
      counted.origin_pages,
      counted.target_pages
    FROM counted
    JOIN segment ON segment.number = counted.segment_number
    JOIN chosen ON chosen.crawl_id = segment.crawl_id
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
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY segmentation, segment, links DESC, anchor) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, segmentation, segment, links DESC, anchor
