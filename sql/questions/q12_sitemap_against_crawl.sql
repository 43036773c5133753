/*
title: In the sitemap but not crawled, and crawled but not in the sitemap
model: mart.pages
description: >-
  The latest crawl of each project that found a sitemap. Crawled means fetched; of the pages that the sitemap lacks
  only those that are indexable are named.
*/
SELECT
  crawls.project_name,
  pages.crawl_id,
  if(len(sitemaps_file_origin) > 0, 'in the sitemap, not crawled', 'crawled, not in the sitemap') AS finding,
  pages.url,
  pages.sitemaps_file_origin,
  pages.depth,
  pages.nb_inlinks
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_main
QUALIFY bool_or(len(sitemaps_file_origin) > 0) OVER (PARTITION BY pages.crawl_id)
  AND if(len(sitemaps_file_origin) > 0, NOT pages.fetched, pages.fetched AND pages.is_indexable)
ORDER BY project_name, crawl_id, finding, url
