/*
title: Series of pages that ends at an error
severity: medium
category: links
definition: pagination_errors contains target_missing. The page before or after it answers 400 to 599.
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: What only the rest of the series lists may not be found.
fix: Declare pages that answer, or bring the page back
mended_by: template
related: series_error
evidence: [rel_prev, rel_next, pagination_errors]
cases:
  has: [{pagination_errors: [target_missing]}, {pagination_errors: [a, target_missing, z]}]
  has_not: [{pagination_errors: [other]}, {pagination_errors: []}, {pagination_errors: null}]
*/
SELECT
  crawl_id,
  project_id,
  url,
  'series: target_missing' AS why,
  -- Of two targets it is unknown which.
  CASE WHEN rel_prev IS NULL OR rel_next IS NULL THEN coalesce(rel_prev, rel_next) END AS related_url
FROM mart.pages
WHERE ',' || array_to_string(pagination_errors, ',') || ',' LIKE '%,target_missing,%'
