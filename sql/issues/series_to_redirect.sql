/*
title: Series of pages through a redirect
severity: low
category: links
definition: pagination_errors contains target_redirects. The page before or after it answers 300 to 399.
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: The series leads to another page than it says.
fix: Declare the final URL of each page of the series
mended_by: template
evidence: [rel_prev, rel_next, pagination_errors]
cases:
  has: [{pagination_errors: [target_redirects]}, {pagination_errors: [a, target_redirects, z]}]
  has_not: [{pagination_errors: [other]}, {pagination_errors: []}, {pagination_errors: null}]
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  'series: target_redirects' AS why,
  CASE
    WHEN former.url < later.url THEN former.url
    WHEN coalesce(later.url, former.url) IS NOT NULL THEN coalesce(later.url, former.url)
    -- Of two targets it is unknown which.
    WHEN pages.rel_prev IS NULL OR pages.rel_next IS NULL THEN coalesce(pages.rel_prev, pages.rel_next)
  END AS related_url
FROM mart.pages AS pages
LEFT JOIN mart.read_targets AS former
  ON former.crawl_id = pages.crawl_id AND former.url = pages.rel_prev AND former.status_code BETWEEN 300 AND 399
LEFT JOIN mart.read_targets AS later
  ON later.crawl_id = pages.crawl_id AND later.url = pages.rel_next AND later.status_code BETWEEN 300 AND 399
WHERE ',' || array_to_string(pages.pagination_errors, ',') || ',' LIKE '%,target_redirects,%'
