/*
title: Pages that became non-indexable since the crawl before
model: mart.pages
description: >-
  Pages of the latest crawl of each project that were indexable in the crawl before it and are not any more, with
  what decides it in both.
*/
SELECT
  crawls.project_name,
  later.crawl_id,
  later.url,
  earlier.status_code AS status_code_before,
  later.status_code,
  earlier.meta_robots_index AS meta_robots_index_before,
  later.meta_robots_index,
  earlier.robots_txt_denied AS robots_txt_denied_before,
  later.robots_txt_denied,
  earlier.canonical_evaluation AS canonical_evaluation_before,
  later.canonical_evaluation
FROM mart.crawls AS crawls
JOIN mart.pages AS later ON later.crawl_id = crawls.crawl_id
JOIN mart.pages AS earlier ON earlier.crawl_id = crawls.previous_crawl_id AND earlier.url = later.url
WHERE crawls.is_main
  AND earlier.is_indexable
  AND NOT later.is_indexable
ORDER BY project_name, crawl_id, url
