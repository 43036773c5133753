/*
title: Pagination to a non-indexable page
severity: medium
category: links
definition: The previous or next page of the series has noindex, is blocked by robots.txt, or declares another page as its canonical (pagination_errors).
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: Search engines no longer find links that appear only on that page.
fix: Make each page of the series indexable, with a self-referencing canonical; edit robots.txt if it blocks a page
owner: template
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
  'the previous or next page is not indexable' AS why,
  -- Of two targets, the right one is unknown.
  CASE WHEN rel_prev IS NULL OR rel_next IS NULL THEN coalesce(rel_prev, rel_next) END AS related_url
FROM mart.pages
WHERE ',' || array_to_string(pagination_errors, ',') || ',' LIKE '%,target_not_indexable,%'
