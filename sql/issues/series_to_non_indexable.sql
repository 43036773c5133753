/*
title: Page of a series that can not be indexed
severity: medium
category: links
definition: pagination_errors contains target_not_indexable. The page before or after it is noindex, denied by robots.txt, or has another canonical.
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: What only that page lists is found by search engines no more.
fix: Let each page of a series be indexed, with itself as its canonical
mended_by: template
evidence: [rel_prev, rel_next, pagination_errors]
cases:
  has: [{pagination_errors: [target_not_indexable]}, {pagination_errors: [a, target_not_indexable, z]}]
  has_not: [{pagination_errors: [other]}, {pagination_errors: []}, {pagination_errors: null}]
*/
SELECT crawl_id, project_id, url, 'series: target_not_indexable' AS why
FROM mart.pages
WHERE ',' || array_to_string(pagination_errors, ',') || ',' LIKE '%,target_not_indexable,%'
