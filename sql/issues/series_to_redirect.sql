/*
title: Pagination to a redirect
severity: low
category: links
definition: The previous or next page of the series returns a status of 300 to 399 (pagination_errors).
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: The pagination link does not lead directly to a page of the series.
fix: Point rel="prev" and rel="next" to the final URL of each page
owner: template
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
  'the previous or next page redirects' AS why,
  -- Of two targets, the right one is unknown.
  CASE WHEN rel_prev IS NULL OR rel_next IS NULL THEN coalesce(rel_prev, rel_next) END AS related_url
FROM mart.pages
WHERE ',' || array_to_string(pagination_errors, ',') || ',' LIKE '%,target_redirects,%'
