/*
title: Status codes per crawl over time
model: mart.status_codes_by_crawl
description: One row for each crawl and HTTP status; a status of NULL stands for pages without an answer.
*/
SELECT
  crawls.project_name,
  codes.ended_at,
  codes.crawl_id,
  codes.status_code,
  codes.status_code_range,
  codes.pages,
  round(100 * codes.share, 1) AS percent
FROM mart.status_codes_by_crawl AS codes
LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = codes.crawl_id
ORDER BY project_name, ended_at, crawl_id, status_code NULLS LAST
