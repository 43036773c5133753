/*
title: Orphan pages, and orphans that earn clicks
model: mart.pages
description: >-
  Pages of the latest crawl of each project that no link leads to: known from elsewhere (sources), without depth or
  without inlinks. A crawl without depth on any page says nothing about it, so there only nb_inlinks counts. Clicks and
  impressions are those of the last 28 days; NULL where search results did not show the page.
*/
SELECT
  crawls.project_name,
  pages.crawl_id,
  pages.url,
  pages.sources,
  pages.status_code,
  pages.is_indexable,
  pages.depth,
  pages.nb_inlinks,
  demand.clicks,
  demand.impressions,
  demand.top_query
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_main
LEFT JOIN mart.page_demand AS demand ON demand.project_id = pages.project_id AND demand.url = pages.url
QUALIFY pages.nb_inlinks = 0
  OR (pages.depth IS NULL AND count(pages.depth) OVER (PARTITION BY pages.crawl_id) > 0)
ORDER BY project_name, crawl_id, clicks DESC NULLS LAST, url
