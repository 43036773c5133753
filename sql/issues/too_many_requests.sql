/*
title: Too many requests
severity: medium
category: availability
definition: The HTTP status is 429.
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: >-
  The server turned the crawler away for its speed; it may do the same with search engines, and the crawl lacks the
  page.
fix: Crawl more slowly, or allow the crawler more requests
mended_by: server
evidence: [status_code]
cases:
  has: [{status_code: 429}]
  has_not: [{status_code: 428}]
*/
SELECT crawl_id, project_id, url, 'HTTP status 429' AS why
FROM mart.pages
WHERE status_code = 429
