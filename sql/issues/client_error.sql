/*
title: Client error
severity: high
category: availability
definition: >-
  The first reason why the page is not indexable is client_error (HTTP status 400 to 499), and links of the site lead
  to it, or the crawl is that of a list of URLs (mart.crawls.is_list).
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: People and search engines follow links of the site to a page that is not there.
fix: Let the page answer with status 200 or redirect it, and fix the links to it
mended_by: server
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
