/*
title: No answer
severity: high
category: availability
definition: >-
  The first reason why the page is not indexable is no_answer: the crawler asked for it and got no HTTP status.
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: The host was not found, refused the connection or took too long; search engines give up the same way.
fix: See that the host answers, and mend or remove the links to it
mended_by: server
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
