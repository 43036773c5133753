/*
title: HTTP page on an HTTPS site
severity: high
category: security
definition: The URL begins with http:// and returns 200, and an https:// URL on the same host (url_host) also returns 200.
source: https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes
why_it_matters: The page is still available over unencrypted HTTP, for example because the migration to HTTPS missed it.
fix: Redirect the page to its https:// URL, and change the links that lead to it
owner: server
evidence: [status_code]
*/
SELECT pages.crawl_id, pages.project_id, pages.url, 'answers over HTTP, although the host has HTTPS' AS why
FROM mart.pages AS pages
JOIN (
  SELECT DISTINCT crawl_id, url_host
  FROM mart.pages
  WHERE status_code = 200 AND starts_with(url, 'https://')
) AS secure ON secure.crawl_id = pages.crawl_id AND secure.url_host = pages.url_host
WHERE pages.status_code = 200 AND starts_with(pages.url, 'http://')
