/*
title: Indexable page not in a sitemap
severity: low
category: sitemaps
definition: The page is indexable and is not a file (is_resource). No sitemap lists it, but sitemaps list other pages in the crawl.
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: Search engines may discover the page and its changes later.
fix: Add the page to a sitemap
owner: server
needs: [sitemaps]
evidence: [sitemaps_file_origin]
*/
SELECT pages.crawl_id, pages.project_id, pages.url, 'no sitemap lists it' AS why
FROM mart.pages AS pages
WHERE pages.is_indexable
  AND NOT pages.is_resource
  AND coalesce(array_length(pages.sitemaps_file_origin), 0) = 0
  AND pages.crawl_id IN (SELECT crawl_id FROM mart.pages WHERE array_length(sitemaps_file_origin) > 0)
