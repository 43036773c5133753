/*
title: Indexable page in no sitemap
severity: low
category: sitemaps
definition: >-
  The page is indexable, no file (is_resource), no sitemap lists it, and sitemaps list
  other pages of the crawl.
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: Search engines learn of the page later, and not when it changes.
fix: List the page in a sitemap
mended_by: server
needs: [sitemaps]
evidence: [sitemaps_file_origin]
*/
SELECT pages.crawl_id, pages.project_id, pages.url, 'no sitemap lists it' AS why
FROM mart.pages AS pages
WHERE pages.is_indexable
  AND NOT pages.is_resource
  AND coalesce(array_length(pages.sitemaps_file_origin), 0) = 0
  AND pages.crawl_id IN (SELECT crawl_id FROM mart.pages WHERE array_length(sitemaps_file_origin) > 0)
