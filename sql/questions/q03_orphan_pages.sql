/*
title: Orphan pages
model: mart.pages
description: >-
  Pages of the latest crawl of each project that no link leads to: known from elsewhere (sources), without depth or
  without inlinks. A crawl without depth on any page says nothing about it, so there only nb_inlinks counts.
*/
SELECT
  crawls.project_name,
  pages.crawl_id,
  pages.url,
  pages.sources,
  pages.status_code,
  pages.is_indexable,
  pages.depth,
  pages.nb_inlinks
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_latest
QUALIFY pages.nb_inlinks = 0
  OR (pages.depth IS NULL AND count(pages.depth) OVER (PARTITION BY pages.crawl_id) > 0)
ORDER BY project_name, crawl_id, url
