/*
title: How links flow between segments
model: mart.links
description: >-
  Internal links of the main crawl of each project, from the segment of the page that holds them to that of the page
  that they lead to; a segment is the first directory of the URL, NULL for a URL that the crawl does not have as a page.
  Share is that of the links from the same segment. The parameter segment takes links from it and links to it.
parameters: [project, crawl, segment, limit]
*/
WITH flow AS (
  SELECT
    links.crawl_id,
    origins.url_first_path AS origin_segment,
    targets.url_first_path AS target_segment,
    count(*) AS links,
    count(CASE WHEN links.follow THEN 1 END) AS follow_links,
    count(DISTINCT links.origin) AS origin_pages,
    count(DISTINCT links.target) AS target_pages
  FROM mart.links AS links
  JOIN mart.crawls AS crawls ON crawls.crawl_id = links.crawl_id
  LEFT JOIN mart.pages AS origins ON origins.crawl_id = links.crawl_id AND origins.url = links.origin
  LEFT JOIN mart.pages AS targets ON targets.crawl_id = links.crawl_id AND targets.url = links.target
  WHERE links.is_internal
    AND ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
    AND (($crawl IS NULL AND crawls.is_main) OR crawls.crawl_id = $crawl)
  GROUP BY links.crawl_id, origins.url_first_path, targets.url_first_path
)

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  origin_segment,
  target_segment,
  links,
  share,
  follow_links,
  origin_pages,
  target_pages
FROM (
  SELECT
    crawls.project_name,
    crawls.crawl_config_name,
    flow.crawl_id,
    flow.origin_segment,
    flow.target_segment,
    flow.links,
    round(CAST(flow.links AS DOUBLE) / flow.segment_links, 3) AS share,
    flow.follow_links,
    flow.origin_pages,
    flow.target_pages,
    row_number() OVER (
      PARTITION BY crawls.project_id
      ORDER BY flow.crawl_id, flow.links DESC, flow.origin_segment NULLS LAST, flow.target_segment NULLS LAST
    ) AS place
  FROM (
    SELECT *, sum(links) OVER (PARTITION BY crawl_id, origin_segment) AS segment_links
    FROM flow
  ) AS flow
  JOIN mart.crawls AS crawls ON crawls.crawl_id = flow.crawl_id
  WHERE $segment IS NULL OR flow.origin_segment = $segment OR flow.target_segment = $segment
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, links DESC, origin_segment NULLS LAST, target_segment NULLS LAST
