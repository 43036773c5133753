/*
title: Series of pages through a redirect
severity: low
category: links
definition: pagination_errors contains target_redirects. The page before or after it answers 300 to 399.
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: The series leads to another page than it says.
fix: Declare the final URL of each page of the series
mended_by: template
related: series_redirect
evidence: [rel_prev, rel_next, pagination_errors]
cases:
  has: [{pagination_errors: [target_redirects]}, {pagination_errors: [a, target_redirects, z]}]
  has_not: [{pagination_errors: [other]}, {pagination_errors: []}, {pagination_errors: null}]
*/
SELECT
  crawl_id,
  project_id,
  url,
  'series: target_redirects' AS why,
  -- Of two targets it is unknown which.
  CASE WHEN rel_prev IS NULL OR rel_next IS NULL THEN coalesce(rel_prev, rel_next) END AS related_url
FROM mart.pages
WHERE ',' || array_to_string(pagination_errors, ',') || ',' LIKE '%,target_redirects,%'
