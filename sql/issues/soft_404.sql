/*
title: Error page with status 200
severity: medium
category: content
definition: >-
  The HTTP status is 200. The title contains 404 as a word or says that a page or file was not found, or title and
  content are those of the answer for a page that does not exist (like_missing_page).
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Search engines fetch and judge it as a page, and people find an error.
fix: Answer with 404 or 410, or bring the page back
evidence: [status_code, title, like_missing_page]
cases:
  has:
    - {status_code: 200, title: Error 404}
    - {status_code: 200, title: 404 - Example}
    - {status_code: 200, title: Page Not Found - Example}
    - {status_code: 200, title: File not found - Example}
    - {status_code: 200, title: Seite nicht gefunden - Beispiel}
    - {status_code: 200, title: Sorry, like_missing_page: true}
    - {status_code: 200, like_missing_page: true}
  has_not:
    - {status_code: 404, title: Error 404}
    - {status_code: 200, title: Boeing 4040}
    - {status_code: 404, title: Sorry, like_missing_page: true}
    - {status_code: 200, title: Sorry, like_missing_page: false}
    - {status_code: 200, title: Sorry, like_missing_page: null}
*/
SELECT
  crawl_id,
  project_id,
  url,
  CASE WHEN like_missing_page THEN 'like the answer for a missing page' ELSE 'title ' || title END AS why
FROM mart.pages
WHERE status_code = 200
  AND (
    like_missing_page
    OR ' ' || lower(title) || ' ' LIKE '% 404 %'
    OR lower(title) LIKE '%page not found%'
    OR lower(title) LIKE '%file not found%'
    OR lower(title) LIKE '%seite nicht gefunden%'
  )
