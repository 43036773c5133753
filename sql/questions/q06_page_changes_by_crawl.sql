/*
title: How many pages were added, removed and changed, crawl by crawl
model: mart.page_changes
description: One row for each crawl that has one before it, and kind of change.
*/
SELECT
  crawls.project_name,
  crawls.ended_at,
  changes.crawl_id,
  changes.previous_crawl_id,
  changes.change,
  count(*) AS pages
FROM mart.page_changes AS changes
JOIN mart.crawls AS crawls ON crawls.crawl_id = changes.crawl_id
GROUP BY ALL
ORDER BY project_name, ended_at, crawl_id, change
