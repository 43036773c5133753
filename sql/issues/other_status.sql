/*
title: Unusual HTTP status
severity: medium
category: availability
definition: >-
  The first reason why the page is not indexable is other_status: its HTTP status is none of 200 and 300 to 599.
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Search engines index a page that answers 200; what they do with others differs.
fix: Let the page answer with status 200
mended_by: server
evidence: [status_code]
cases:
  has: [{status_code: 204, non_indexable_reason: other_status}]
  has_not: [{status_code: 404, non_indexable_reason: client_error}]
*/
SELECT crawl_id, project_id, url, 'HTTP status ' || CAST(status_code AS VARCHAR) AS why
FROM mart.pages
WHERE non_indexable_reason = 'other_status'
