/*
title: Series of pages that ends at an error
severity: medium
category: links
definition: pagination_errors contains target_missing. The page before or after it answers 400 to 599.
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: What only the rest of the series lists may not be found.
fix: Declare pages that answer, or bring the page back
mended_by: template
evidence: [rel_prev, rel_next, pagination_errors]
cases:
  has: [{pagination_errors: [target_missing]}, {pagination_errors: [a, target_missing, z]}]
  has_not: [{pagination_errors: [other]}, {pagination_errors: []}, {pagination_errors: null}]
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  'series: target_missing' AS why,
  CASE
    WHEN former.url < later.url THEN former.url
    WHEN coalesce(later.url, former.url) IS NOT NULL THEN coalesce(later.url, former.url)
    -- Of two targets it is unknown which.
    WHEN pages.rel_prev IS NULL OR pages.rel_next IS NULL THEN coalesce(pages.rel_prev, pages.rel_next)
  END AS related_url
FROM mart.pages AS pages
LEFT JOIN mart.read_targets AS former
  ON former.crawl_id = pages.crawl_id AND former.url = pages.rel_prev AND former.status_code BETWEEN 400 AND 599
LEFT JOIN mart.read_targets AS later
  ON later.crawl_id = pages.crawl_id AND later.url = pages.rel_next AND later.status_code BETWEEN 400 AND 599
WHERE ',' || array_to_string(pages.pagination_errors, ',') || ',' LIKE '%,target_missing,%'
