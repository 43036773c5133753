/*
title: Thin and slow pages and structured data, by segment over time
model: mart.pages
description: >-
  One row for each crawl and first directory of the URL, over pages with status 200: shares of pages with less than
  300 words, with more than a second to the last byte, and with structured data. NULL where the export did not say.
*/
SELECT
  crawls.project_name,
  crawls.ended_at,
  pages.crawl_id,
  pages.url_first_path,
  count(*) AS pages,
  round(avg((word_count < 300)::INTEGER), 3) AS thin_share,
  round(avg((load_time > 1000)::INTEGER), 3) AS slow_share,
  if(count(semantic_types) > 0, round(count(*) FILTER (len(semantic_types) > 0) / count(*), 3), NULL) AS structured_share
FROM mart.pages AS pages
LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id
WHERE pages.status_code = 200
GROUP BY crawls.project_name, crawls.ended_at, pages.crawl_id, pages.url_first_path
ORDER BY project_name, url_first_path, ended_at, crawl_id
