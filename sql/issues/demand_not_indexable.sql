/*
title: Non-indexable page with demand
severity: high
category: demand
definition: The page is not indexable because of noindex or a canonical to another page (non_indexable_reason is noindex or canonicalised). The page appeared in search results on the days assigned to the crawl (mart.crawl_days).
source: https://developers.google.com/search/docs/crawling-indexing/block-indexing
why_it_matters: Users find the page in search results only until search engines remove it.
fix: Remove noindex or the canonical to another page, or redirect the page to an indexable page
owner: content
evidence: [non_indexable_reason, page_demand.impressions]
is_by_days: true
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  'not indexable (' || pages.non_indexable_reason || '), with ' || CAST(demand.impressions AS VARCHAR) || ' impressions' AS why
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_latest
JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
WHERE pages.non_indexable_reason IN ('noindex', 'canonicalised') AND demand.impressions > 0
