/*
title: Hreflang clusters with members that can't be indexed
model: mart.pages
description: >-
  Clusters of language versions, in the latest crawl of each project, with members that are noindex, not 200 or
  otherwise not indexable.
*/
SELECT
  crawls.project_name,
  pages.crawl_id,
  pages.hreflang_cluster_id,
  count(*) AS members,
  list(DISTINCT language ORDER BY language) AS languages,
  count(*) FILTER (NOT is_indexable) AS not_indexable,
  count(*) FILTER (NOT meta_robots_index) AS noindex,
  list(url ORDER BY url) FILTER (NOT is_indexable) AS not_indexable_urls
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_main
WHERE pages.hreflang_cluster_id IS NOT NULL
GROUP BY crawls.project_name, pages.crawl_id, pages.hreflang_cluster_id
HAVING not_indexable > 0
ORDER BY project_name, crawl_id, not_indexable DESC, hreflang_cluster_id
