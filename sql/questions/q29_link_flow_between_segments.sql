/*
title: Internal links between segments
task: Links
model: mart.links
description: >-
  Each row is a pair of segments, with the internal links from the first to the second in the main crawl of each
  project. A segment is a first directory, (directory), or a segment of the chosen segmentation. It is NULL for a URL
  that is not a page of the crawl, and for a page without a segment. Links percent is the share of the links from the
  same segment. The chosen segment, a first directory or a segment of the project's own segmentations, selects links
  from and to its pages.
parameters: [project, crawl, segmentation, segment, limit]
needs: [links]
chart: {kind: bar, x: origin_segment, y: links, each: [project_name, crawl_id, segmentation]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND (($crawl IS NULL AND is_main) OR crawl_id = $crawl)
      AND ($segmentation IS NULL OR crawl_id IN (SELECT crawl_id FROM mart.crawl_segments WHERE segmentation = $segmentation))
  ),

  member AS (
    SELECT crawl_id, url, segment
    FROM mart.page_segments
    WHERE segmentation = $segmentation AND crawl_id IN (SELECT crawl_id FROM chosen)
  ),

  -- Counting distinct numbers needs a fraction of the memory of counting distinct URLs.
  numbered AS (
    SELECT crawl_id, url, page_key, url_first_path, row_number() OVER () AS number
    FROM mart.pages
    WHERE crawl_id IN (SELECT crawl_id FROM chosen)
  ),

  placed AS (
    SELECT
      numbered.crawl_id,
      numbered.url,
      numbered.page_key,
      numbered.number,
      CASE coalesce($segmentation, '(directory)')
        WHEN '(directory)' THEN numbered.url_first_path
        WHEN '(site)' THEN '(site)'
        ELSE member.segment
      END AS segment
    FROM numbered
    LEFT JOIN member ON member.crawl_id = numbered.crawl_id AND member.url = numbered.url
  ),

  segment AS (
    SELECT crawl_id, segment, row_number() OVER (ORDER BY crawl_id, segment) AS number
    FROM (SELECT DISTINCT crawl_id, segment FROM placed WHERE segment IS NOT NULL) AS known
  ),

  page AS (
    SELECT
      placed.crawl_id,
      placed.url,
      placed.number,
      segment.number AS segment_number,
      coalesce($segment IN (placed.segment, coalesce($segmentation, '(directory)') || ':' || placed.segment), false)
        OR (
          $segmentation IS NULL
          AND $segment IS NOT NULL
          AND placed.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
        ) AS is_asked
    FROM placed
    LEFT JOIN segment ON segment.crawl_id = placed.crawl_id AND segment.segment = placed.segment
  ),

  link AS (
    SELECT
      links.crawl_id,
      links.follow,
      origins.segment_number AS origin_number,
      targets.segment_number AS target_number,
      origins.number AS origin_page,
      CASE WHEN origins.number IS NULL THEN links.origin END AS unknown_origin,
      targets.number AS target_page,
      CASE WHEN targets.number IS NULL THEN links.target END AS unknown_target,
      $segment IS NULL OR coalesce(origins.is_asked, false) OR coalesce(targets.is_asked, false) AS is_asked
    FROM mart.links AS links
    LEFT JOIN page AS origins ON origins.crawl_id = links.crawl_id AND origins.url = links.origin
    LEFT JOIN page AS targets ON targets.crawl_id = links.crawl_id AND targets.url = links.target
    WHERE links.is_internal
      AND links.crawl_id IN (SELECT crawl_id FROM chosen)
  ),

  counted AS (
    SELECT
      crawl_id,
      origin_number,
      target_number,
      count(*) AS all_links,
      count(CASE WHEN is_asked THEN 1 END) AS links,
      CAST(sum(CASE WHEN is_asked THEN CAST(follow AS INTEGER) END) AS BIGINT) AS follow_links,
      count(DISTINCT CASE WHEN is_asked THEN origin_page END)
        + count(DISTINCT CASE WHEN is_asked THEN unknown_origin END) AS origin_pages,
      count(DISTINCT CASE WHEN is_asked THEN target_page END)
        + count(DISTINCT CASE WHEN is_asked THEN unknown_target END) AS target_pages
    FROM link
    GROUP BY crawl_id, origin_number, target_number
  ),

  flow AS (
    SELECT
      counted.crawl_id,
      origins.segment AS origin_segment,
      targets.segment AS target_segment,
      counted.links,
      sum(counted.all_links) OVER (PARTITION BY counted.crawl_id, counted.origin_number) AS segment_links,
      counted.follow_links,
      counted.origin_pages,
      counted.target_pages
    FROM counted
    LEFT JOIN segment AS origins ON origins.number = counted.origin_number
    LEFT JOIN segment AS targets ON targets.number = counted.target_number
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  coalesce($segmentation, '(directory)') AS segmentation,
  origin_segment,
  target_segment,
  links,
  links_percent,
  follow_links,
  origin_pages,
  target_pages
FROM (
  SELECT
    chosen.project_name,
    chosen.crawl_config_name,
    flow.crawl_id,
    flow.origin_segment,
    flow.target_segment,
    flow.links,
    CAST(round(CAST(CAST(100 * flow.links AS DOUBLE) / flow.segment_links AS DECIMAL(38, 9)), 1) AS DOUBLE) AS links_percent,
    flow.follow_links,
    flow.origin_pages,
    flow.target_pages,
    row_number() OVER (
      PARTITION BY chosen.project_id
      ORDER BY flow.links DESC, flow.origin_segment NULLS LAST, flow.target_segment NULLS LAST
    ) AS place
  FROM flow
  JOIN chosen ON chosen.crawl_id = flow.crawl_id
  WHERE flow.links > 0
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, links DESC, origin_segment NULLS LAST, target_segment NULLS LAST
