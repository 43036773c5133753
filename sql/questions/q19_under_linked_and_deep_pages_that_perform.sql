/*
title: Under-linked pages that perform, and deep pages with traffic
model: mart.page_demand
description: >-
  Indexable pages of the latest crawl of each project that search results brought clicks to in the last 28 days, and
  that have less than half of the inlinks of such pages, or stand more than a click deeper than they do (by the medians
  of the crawl); with the pages that link to them.
*/
WITH usual AS (
  SELECT pages.crawl_id, median(pages.nb_inlinks) AS nb_inlinks, median(pages.depth) AS depth
  FROM mart.pages AS pages
  JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_latest
  WHERE pages.is_indexable
  GROUP BY pages.crawl_id
)

SELECT
  crawls.project_name,
  pages.crawl_id,
  pages.url,
  pages.nb_inlinks < usual.nb_inlinks / 2 AS is_under_linked,
  pages.depth > usual.depth + 1 AS is_deep,
  demand.clicks,
  demand.impressions,
  round(demand.position, 1) AS position,
  demand.top_query,
  pages.nb_inlinks,
  pages.depth,
  list(DISTINCT links.origin ORDER BY links.origin) FILTER (links.origin IS NOT NULL) AS origin_pages
FROM usual
JOIN mart.crawls AS crawls ON crawls.crawl_id = usual.crawl_id
JOIN mart.pages AS pages ON pages.crawl_id = usual.crawl_id AND pages.is_indexable
JOIN mart.page_demand AS demand ON demand.project_id = crawls.project_id AND demand.url = pages.url
LEFT JOIN mart.links AS links ON links.crawl_id = pages.crawl_id AND links.target = pages.url AND links.intern
WHERE demand.clicks > 0
  AND (pages.nb_inlinks < usual.nb_inlinks / 2 OR pages.depth > usual.depth + 1)
GROUP BY ALL
ORDER BY project_name, crawl_id, clicks DESC, url
