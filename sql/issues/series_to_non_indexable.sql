/*
title: Page of a series that can not be indexed
severity: medium
category: links
definition: pagination_errors contains target_not_indexable. The page before or after it is noindex, denied by robots.txt, or has another canonical.
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: What only that page lists is found by search engines no more.
fix: Let each page of a series be indexed, with itself as its canonical; edit robots.txt where it blocks one
mended_by: template
evidence: [rel_prev, rel_next, pagination_errors]
cases:
  has: [{pagination_errors: [target_not_indexable]}, {pagination_errors: [a, target_not_indexable, z]}]
  has_not: [{pagination_errors: [other]}, {pagination_errors: []}, {pagination_errors: null}]
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  'series: target_not_indexable' AS why,
  CASE
    WHEN former.url < later.url THEN former.url
    WHEN coalesce(later.url, former.url) IS NOT NULL THEN coalesce(later.url, former.url)
    -- Of two targets it is unknown which.
    WHEN pages.rel_prev IS NULL OR pages.rel_next IS NULL THEN coalesce(pages.rel_prev, pages.rel_next)
  END AS related_url
FROM mart.pages AS pages
LEFT JOIN mart.read_targets AS former
  ON former.crawl_id = pages.crawl_id AND former.url = pages.rel_prev AND former.non_indexable_reason IN ('noindex', 'robots_denied', 'canonicalised')
LEFT JOIN mart.read_targets AS later
  ON later.crawl_id = pages.crawl_id AND later.url = pages.rel_next AND later.non_indexable_reason IN ('noindex', 'robots_denied', 'canonicalised')
WHERE ',' || array_to_string(pages.pagination_errors, ',') || ',' LIKE '%,target_not_indexable,%'
