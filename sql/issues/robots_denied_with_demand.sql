/*
title: Blocked by robots.txt, with demand
severity: high
category: demand
definition: The page is not indexable because robots.txt blocks it (non_indexable_reason is robots_denied). Search results showed the page on the days assigned to the crawl (mart.crawl_days).
source: https://developers.google.com/search/docs/crawling-indexing/robots/intro
why_it_matters: Users still find the page, but search engines can no longer read it, so it loses its snippet and then its ranking.
fix: Allow the page in robots.txt
owner: server
evidence: [non_indexable_reason, page_demand.impressions]
is_by_days: true
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  'robots.txt blocks it, with ' || CAST(demand.impressions AS VARCHAR) || ' impressions' AS why
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_latest
JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
WHERE pages.non_indexable_reason = 'robots_denied' AND demand.impressions > 0
