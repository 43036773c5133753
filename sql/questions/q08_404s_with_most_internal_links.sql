/*
title: 404s with the most internal links, and the pages that link to them
model: mart.links_to_broken_pages
description: >-
  The twenty 404s with the most internal links over the latest crawls of all projects; one row for each page that
  links to one of them.
*/
WITH top AS (
  SELECT crawls.project_name, broken.crawl_id, broken.target, broken.internal_links
  FROM mart.links_to_broken_pages AS broken
  JOIN mart.crawls AS crawls ON crawls.crawl_id = broken.crawl_id AND crawls.is_main
  WHERE broken.target_status = 404 AND broken.internal_links > 0
  ORDER BY broken.internal_links DESC, broken.crawl_id, broken.target
  LIMIT 20
)

SELECT
  top.project_name,
  top.crawl_id,
  top.target,
  top.internal_links,
  links.origin,
  count(*) AS links_on_page,
  list(DISTINCT links.anchor ORDER BY links.anchor) AS anchors
FROM top
JOIN mart.links AS links ON links.crawl_id = top.crawl_id AND links.target = top.target AND links.intern
GROUP BY top.project_name, top.crawl_id, top.target, top.internal_links, links.origin
ORDER BY internal_links DESC, crawl_id, target, links_on_page DESC, origin
