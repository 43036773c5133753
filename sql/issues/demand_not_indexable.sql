/*
title: Demand for a page that is not indexable
severity: high
category: demand
definition: >-
  The page is not indexable because of noindex or canonicalised, and search results showed it on the days that belong to
  the crawl.
source: https://developers.google.com/search/docs/crawling-indexing/block-indexing
why_it_matters: People find the page today, and will not once search engines have followed what it says.
fix: Remove what keeps it out (noindex or the canonical), or redirect it to an indexable page
mended_by: content
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
