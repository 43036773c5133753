/*
title: Error page with status 200
severity: medium
category: content
definition: The HTTP status is 200, and the title contains 404 as a word or says that a page or file was not found.
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Search engines fetch and judge it as a page, and people find an error.
fix: Answer with 404 or 410, or bring the page back
evidence: [status_code, title]
cases:
  has: [{status_code: 200, title: Error 404}, {status_code: 200, title: Page Not Found - Example}]
  has_not: [{status_code: 404, title: Error 404}, {status_code: 200, title: Boeing 4040}]
*/
SELECT crawl_id, project_id, url, 'title ' || title AS why
FROM mart.pages
WHERE status_code = 200
  AND (
    ' ' || lower(title) || ' ' LIKE '% 404 %'
    OR lower(title) LIKE '%page not found%'
    OR lower(title) LIKE '%file not found%'
    OR lower(title) LIKE '%seite nicht gefunden%'
  )
