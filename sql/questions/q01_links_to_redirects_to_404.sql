/*
title: Internal links to pages that redirect to a 404, with their anchors
model: mart.links
description: The latest crawl of each project; one row for each redirecting page and anchor.
*/
SELECT
  crawls.project_name,
  links.crawl_id,
  links.target,
  pages.final_redirect_location,
  links.anchor,
  count(*) AS links,
  count(DISTINCT links.origin) AS origin_pages
FROM mart.links AS links
JOIN mart.crawls AS crawls ON crawls.crawl_id = links.crawl_id AND crawls.is_main
JOIN mart.pages AS pages ON pages.crawl_id = links.crawl_id AND pages.url = links.target
WHERE links.intern
  AND pages.status_code BETWEEN 300 AND 399
  AND pages.final_redirect_status = 404
GROUP BY ALL
ORDER BY project_name, crawl_id, links DESC, target, anchor
