/*
title: Links and anchors into a segment that is defined by metrics, not by URL
model: mart.page_segments
description: >-
  Internal links into each segment of the project's own segmentations, whatever defines these, in the latest crawl of
  each project; one row for each segment and anchor.
*/
SELECT
  crawls.project_name,
  links.crawl_id,
  segments.segmentation,
  segments.segment,
  links.anchor,
  count(*) AS links,
  count(*) FILTER (links.follow) AS follow_links,
  count(DISTINCT links.origin) AS origin_pages,
  count(DISTINCT links.target) AS target_pages
FROM mart.page_segments AS segments
JOIN mart.crawls AS crawls ON crawls.crawl_id = segments.crawl_id AND crawls.is_main
JOIN mart.links AS links ON links.crawl_id = segments.crawl_id AND links.target = segments.url
WHERE links.intern
GROUP BY crawls.project_name, links.crawl_id, segments.segmentation, segments.segment, links.anchor
ORDER BY project_name, crawl_id, segmentation, segment, links DESC, anchor
