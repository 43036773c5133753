/*
title: Temporary redirect
severity: low
category: redirects
definition: The HTTP status is 302, 303 or 307.
source: https://developers.google.com/search/docs/crawling-indexing/301-redirects
why_it_matters: Search engines keep the old URL in their results as long as the redirect is temporary.
fix: If the page has moved permanently, use a 301 or 308 redirect
owner: server
evidence: [status_code]
cases:
  has: [{status_code: 302}, {status_code: 307}, {status_code: 303}]
  has_not: [{status_code: 301}, {status_code: 308}, {status_code: 304}]
*/
SELECT crawl_id, project_id, url, 'HTTP status ' || CAST(status_code AS VARCHAR) AS why, redirect_location AS related_url
FROM mart.pages
WHERE status_code IN (302, 303, 307)
