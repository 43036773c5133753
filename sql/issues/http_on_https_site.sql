/*
title: HTTP page on an HTTPS site
severity: high
category: security
definition: >-
  The URL begins with http://, the HTTP status is 200, and a page of the same host (url_host) answers 200 at an address
  that begins with https://.
source: https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes
why_it_matters: It is a second address without encryption, which a move to HTTPS left over or a link brings back.
fix: Redirect it to its HTTPS address, and mend the links that lead to it
mended_by: server
evidence: [status_code]
*/
SELECT pages.crawl_id, pages.project_id, pages.url, 'answers by HTTP, while the host has HTTPS' AS why
FROM mart.pages AS pages
JOIN (
  SELECT DISTINCT crawl_id, url_host
  FROM mart.pages
  WHERE status_code = 200 AND starts_with(url, 'https://')
) AS secure ON secure.crawl_id = pages.crawl_id AND secure.url_host = pages.url_host
WHERE pages.status_code = 200 AND starts_with(pages.url, 'http://')
