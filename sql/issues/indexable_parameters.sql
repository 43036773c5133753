/*
title: Indexable URL with parameters
severity: low
category: urls
definition: The page is indexable, and its URL has parameters (url_has_params is true).
source: https://developers.google.com/search/docs/crawling-indexing/url-structure
why_it_matters: Parameters are often only for sorting, filtering or tracking, so the page may duplicate another page.
fix: If the parameters do not change the content, set the canonical to the URL without parameters
owner: template
evidence: [url_has_params]
cases:
  has: [{is_indexable: true, url_has_params: true}]
  has_not: [{is_indexable: true, url_has_params: false}, {is_indexable: false, url_has_params: true}]
*/
SELECT crawl_id, project_id, url, 'has parameters' AS why
FROM mart.pages
WHERE is_indexable AND url_has_params
