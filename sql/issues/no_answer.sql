/*
title: No response
severity: high
category: availability
definition: The crawler requested the page and received no HTTP status (non_indexable_reason is no_answer).
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: The host was not found, refused the connection or took too long to respond. Search engines also give up in these cases.
fix: Check that the host responds, and fix or remove the links to the page
owner: server
evidence: [non_indexable_reason]
cases:
  has: [{non_indexable_reason: no_answer}]
  has_not: [{non_indexable_reason: server_error, status_code: 500}]
*/
SELECT
  crawl_id,
  project_id,
  url,
  'nothing answered' || coalesce(': ' || nullif(array_to_string(processing_warnings, ', '), ''), '') AS why
FROM mart.pages
WHERE non_indexable_reason = 'no_answer'
