/*
title: Client error (4xx)
severity: high
category: availability
definition: The page is not indexable because it returns a status of 400 to 499 (non_indexable_reason is client_error). Internal links lead to the page, or the crawl is a list crawl (mart.crawls.is_list).
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Users and search engines follow links to a page that does not exist.
fix: Make the page return status 200 or redirect it, and fix the links to it
owner: server
related: linking_page
evidence: [status_code, nb_inlinks]
cases:
  has: [{status_code: 404, non_indexable_reason: client_error, nb_inlinks: 1}]
  has_not:
    - {status_code: 404, non_indexable_reason: client_error, nb_inlinks: 0}
    - {status_code: 503, non_indexable_reason: server_error, nb_inlinks: 1}
*/
SELECT pages.crawl_id, pages.project_id, pages.url, 'HTTP status ' || CAST(pages.status_code AS VARCHAR) AS why
FROM mart.pages AS pages
LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id
WHERE pages.non_indexable_reason = 'client_error' AND (pages.nb_inlinks > 0 OR crawls.is_list)
