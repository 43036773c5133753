/*
title: How links flow between segments
model: mart.links
description: >-
  Internal links of the main crawl of each project, from the segment of the page that holds them to that of the page
  that they lead to; a segment is the first directory of the URL, NULL for a URL that the crawl does not have as a page.
  Links percent is that of the links from the same segment. The parameter segment takes links from it and links to it.
parameters: [project, crawl, segment, limit]
needs: [links]
chart: {kind: bar, x: origin_segment, y: links, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND (($crawl IS NULL AND is_main) OR crawl_id = $crawl)
  ),

  segment AS (
    SELECT crawl_id, url_first_path, row_number() OVER (ORDER BY crawl_id, url_first_path) AS number
    FROM (
      SELECT DISTINCT crawl_id, url_first_path
      FROM mart.pages
      WHERE crawl_id IN (SELECT crawl_id FROM chosen) AND url_first_path IS NOT NULL
    ) AS known
  ),

  -- To count different numbers takes a fraction of the memory that different URLs take.
  page AS (
    SELECT pages.crawl_id, pages.url, segment.number AS segment_number, row_number() OVER () AS number
    FROM mart.pages AS pages
    LEFT JOIN segment ON segment.crawl_id = pages.crawl_id AND segment.url_first_path = pages.url_first_path
    WHERE pages.crawl_id IN (SELECT crawl_id FROM chosen)
  ),

  counted AS (
    SELECT
      links.crawl_id,
      origins.segment_number AS origin_number,
      targets.segment_number AS target_number,
      count(*) AS links,
      count(CASE WHEN links.follow THEN 1 END) AS follow_links,
      count(DISTINCT origins.number)
        + count(DISTINCT CASE WHEN origins.number IS NULL THEN links.origin END) AS origin_pages,
      count(DISTINCT targets.number)
        + count(DISTINCT CASE WHEN targets.number IS NULL THEN links.target END) AS target_pages
    FROM mart.links AS links
    LEFT JOIN page AS origins ON origins.crawl_id = links.crawl_id AND origins.url = links.origin
    LEFT JOIN page AS targets ON targets.crawl_id = links.crawl_id AND targets.url = links.target
    WHERE links.is_internal
      AND links.crawl_id IN (SELECT crawl_id FROM chosen)
    GROUP BY links.crawl_id, origins.segment_number, targets.segment_number
  ),

  flow AS (
    SELECT
      counted.crawl_id,
      origins.url_first_path AS origin_segment,
      targets.url_first_path AS target_segment,
      counted.links,
      sum(counted.links) OVER (PARTITION BY counted.crawl_id, counted.origin_number) AS segment_links,
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
  WHERE $segment IS NULL OR flow.origin_segment = $segment OR flow.target_segment = $segment
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, links DESC, origin_segment NULLS LAST, target_segment NULLS LAST
