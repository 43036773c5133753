/*
title: Canonicals to targets that are not 200, redirect or are noindex
model: mart.pages
description: >-
  Pages of the latest crawl of each project whose canonical leads to another page that this crawl knows and that
  can't stand for them.
*/
SELECT
  crawls.project_name,
  pages.crawl_id,
  pages.url,
  pages.rel_canonical,
  target.status_code AS canonical_status_code,
  target.redirect_location AS canonical_redirect_location,
  target.meta_robots_index AS canonical_meta_robots_index
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_main
JOIN mart.pages AS target ON target.crawl_id = pages.crawl_id AND target.url = pages.rel_canonical
WHERE pages.rel_canonical <> pages.url
  AND (target.status_code <> 200 OR NOT target.meta_robots_index)
ORDER BY project_name, crawl_id, rel_canonical, url
