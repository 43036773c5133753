/*
title: Indexable URL with parameters
severity: low
category: urls
definition: The page is indexable, and url_has_params is true.
source: https://developers.google.com/search/docs/crawling-indexing/url-structure
why_it_matters: >-
  Parameters mostly sort, filter or track: then the page is a copy of another.
fix: Give it a canonical without the parameters, if they change nothing
mended_by: template
evidence: [url_has_params]
cases:
  has: [{is_indexable: true, url_has_params: true}]
  has_not: [{is_indexable: true, url_has_params: false}, {is_indexable: false, url_has_params: true}]
*/
SELECT crawl_id, project_id, url, 'has parameters' AS why
FROM mart.pages
WHERE is_indexable AND url_has_params
