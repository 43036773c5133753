/*
title: Pagination to an error page
severity: medium
category: links
definition: The previous or next page of the series returns a status of 400 to 599 (pagination_errors).
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: Search engines may not find pages that are linked only from other pages of the series.
fix: Point rel="prev" and rel="next" to pages that return 200, or restore the missing page
owner: template
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
  'the previous or next page answers with an error' AS why,
  -- Of two targets, the right one is unknown.
  CASE WHEN rel_prev IS NULL OR rel_next IS NULL THEN coalesce(rel_prev, rel_next) END AS related_url
FROM mart.pages
WHERE ',' || array_to_string(pagination_errors, ',') || ',' LIKE '%,target_missing,%'
