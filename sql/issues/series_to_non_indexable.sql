/*
title: Page of a series that can not be indexed
severity: medium
category: links
definition: pagination_errors contains target_not_indexable. The page before or after it is noindex, denied by robots.txt, or has another canonical.
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: What only that page lists is found by search engines no more.
fix: Let each page of a series be indexed, with itself as its canonical; edit robots.txt where it blocks one
mended_by: template
related: series_non_indexable
evidence: [rel_prev, rel_next, pagination_errors]
cases:
  has: [{pagination_errors: [target_not_indexable]}, {pagination_errors: [a, target_not_indexable, z]}]
  has_not: [{pagination_errors: [other]}, {pagination_errors: []}, {pagination_errors: null}]
*/
SELECT
  crawl_id,
  project_id,
  url,
  'series: target_not_indexable' AS why,
  -- Of two targets it is unknown which.
  CASE WHEN rel_prev IS NULL OR rel_next IS NULL THEN coalesce(rel_prev, rel_next) END AS related_url
FROM mart.pages
WHERE ',' || array_to_string(pagination_errors, ',') || ',' LIKE '%,target_not_indexable,%'
