/*
title: Redirect chains and loops, and the links into them
model: mart.pages
description: >-
  Pages of the latest crawl of each project that redirect more than once or in a loop, with the internal links that
  lead into them.
*/
SELECT
  crawls.project_name,
  pages.crawl_id,
  pages.url,
  pages.redirect_count,
  pages.is_redirect_loop,
  pages.final_redirect_location,
  pages.final_redirect_status,
  count(links.origin) AS internal_links,
  count(DISTINCT links.origin) AS origin_pages
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_main
LEFT JOIN mart.links AS links
  ON links.crawl_id = pages.crawl_id AND links.target = pages.url AND links.intern
WHERE pages.redirect_count > 1 OR pages.is_redirect_loop OR pages.is_too_many_redirects
GROUP BY ALL
ORDER BY project_name, crawl_id, internal_links DESC, redirect_count DESC, url
