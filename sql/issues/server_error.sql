/*
title: Server error
severity: high
category: availability
definition: >-
  The first reason why the page is not indexable is server_error: its HTTP status is 500 to 599.
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Search engines slow down on a site whose server fails, and drop pages that keep failing.
fix: Find out why the server fails, and mend it
mended_by: server
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
