/*
title: Deep page with clicks
severity: medium
category: demand
definition: >-
  The page is indexable, its depth is above $depth, and search results brought clicks on the days that belong to the
  crawl.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: A page that people look for is far from the start, so it is given little importance by links.
fix: Link to the page from pages nearer to the start
mended_by: content
evidence: [depth, page_demand.impressions]
thresholds: {depth: {default: 3, unit: clicks}}
is_by_days: true
*/
SELECT pages.crawl_id, pages.project_id, pages.url, CAST(pages.depth AS VARCHAR) || ' clicks from the start' AS why
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_latest
JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
WHERE pages.is_indexable AND pages.depth > $depth AND demand.clicks > 0
