/*
title: Unusual HTTP status
severity: medium
category: availability
definition: The page is not indexable because of its HTTP status (non_indexable_reason is other_status). The status is neither 200, nor 400 to 599, nor a redirect that browsers follow (301, 302, 303, 307 or 308).
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Search engines index pages with status 200, and treat other statuses differently.
fix: Make the page return status 200
owner: server
evidence: [status_code]
cases:
  has: [{status_code: 204, non_indexable_reason: other_status}, {status_code: 304, non_indexable_reason: other_status}]
  has_not: [{status_code: 404, non_indexable_reason: client_error}]
*/
SELECT crawl_id, project_id, url, 'HTTP status ' || CAST(status_code AS VARCHAR) AS why
FROM mart.pages
WHERE non_indexable_reason = 'other_status'
