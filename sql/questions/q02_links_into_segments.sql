/*
title: Internal links and anchor texts into segments
task: Links
model: mart.page_segments
description: >-
  Each row is a segment of the project's own segmentations and an anchor text, with the internal links into the segment. A
  segment may be defined by metrics instead of URLs. Covers the main crawl of each project, or the chosen crawl.
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

  -- Numbers need a fraction of the memory of URLs and anchors.
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
        AND ($segment IS NULL OR $segment IN (segment, segmentation || ':' || segment))
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

  anchor AS (
    SELECT anchor, CAST(row_number() OVER (ORDER BY anchor) AS INTEGER) AS number
    FROM (
      SELECT DISTINCT anchor
      FROM mart.links
      WHERE is_internal AND anchor IS NOT NULL AND crawl_id IN (SELECT crawl_id FROM chosen)
    ) AS known
  ),

  -- 0 means a link without an anchor.
  link AS (
    SELECT
      coalesce(anchor.number, 0) AS anchor_number,
      links.follow,
      origins.number AS origin_number,
      CASE WHEN origins.number IS NULL THEN links.origin END AS unknown_origin,
      targets.number AS target_number
    FROM mart.links AS links
    JOIN page AS targets ON targets.crawl_id = links.crawl_id AND targets.url = links.target
    LEFT JOIN page AS origins ON origins.crawl_id = links.crawl_id AND origins.url = links.origin
    LEFT JOIN anchor ON anchor.anchor = links.anchor
    WHERE links.is_internal
      AND links.crawl_id IN (SELECT crawl_id FROM chosen)
  ),

  by_target AS (
    SELECT
      anchor_number,
      target_number,
      count(*) AS links,
      sum(CAST(follow AS INTEGER)) AS follow_links
    FROM link
    GROUP BY anchor_number, target_number
  ),

  counted AS (
    SELECT
      member.segment_number,
      by_target.anchor_number,
      CAST(sum(by_target.links) AS BIGINT) AS links,
      CAST(sum(by_target.follow_links) AS BIGINT) AS follow_links,
      count(*) AS target_pages
    FROM by_target
    JOIN member ON member.page_number = by_target.target_number
    GROUP BY member.segment_number, by_target.anchor_number
  ),

  origin AS (
    SELECT
      segment_number,
      anchor_number,
      count(origin_number) + count(unknown_origin) AS origin_pages
    FROM (
      SELECT DISTINCT member.segment_number, link.anchor_number, link.origin_number, link.unknown_origin
      FROM link
      JOIN member ON member.page_number = link.target_number
    ) AS different
    GROUP BY segment_number, anchor_number
  ),

  answer AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      segment.crawl_id,
      segment.segmentation,
      segment.segment,
      anchor.anchor,
      counted.links,
      counted.follow_links,
      origin.origin_pages,
      counted.target_pages
    FROM counted
    JOIN segment ON segment.number = counted.segment_number
    JOIN chosen ON chosen.crawl_id = segment.crawl_id
    JOIN origin ON origin.segment_number = counted.segment_number AND origin.anchor_number = counted.anchor_number
    LEFT JOIN anchor ON anchor.number = counted.anchor_number
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
