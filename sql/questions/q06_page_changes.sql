/*
title: Pages added, removed and changed since the crawl before
model: mart.page_changes
description: >-
  The latest crawl of each project against the one before it: pages that came or went, and those whose status,
  title, canonical or H1 differs, with both values.
*/
SELECT
  crawls.project_name,
  changes.crawl_id,
  changes.previous_crawl_id,
  changes.change,
  changes.url,
  changes.before,
  changes.after
FROM mart.page_changes AS changes
JOIN mart.crawls AS crawls ON crawls.crawl_id = changes.crawl_id AND crawls.is_main
ORDER BY project_name, crawl_id, change, url
