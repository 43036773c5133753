/*
title: Server error (5xx)
severity: high
category: availability
definition: The page is not indexable because it returns a status of 500 to 599 (non_indexable_reason is server_error).
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Search engines crawl a failing site more slowly, and remove pages that keep failing.
fix: Find the cause of the failure in the server's log, and fix it
owner: server
evidence: [status_code]
cases:
  has: [{status_code: 503, non_indexable_reason: server_error}]
  has_not:
    - {status_code: 404, non_indexable_reason: client_error}
    - {status_code: 503, non_indexable_reason: robots_denied}
*/
SELECT crawl_id, project_id, url, 'HTTP status ' || CAST(status_code AS VARCHAR) AS why
FROM mart.pages
WHERE non_indexable_reason = 'server_error'
