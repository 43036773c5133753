/*
title: Deep page with clicks
severity: medium
category: demand
definition: The page is indexable and got clicks from search results on the days assigned to the crawl (mart.crawl_days). Its depth is above $depth and more than one click above the median depth of the crawl's indexable pages.
source: https://developers.google.com/search/docs/specialty/ecommerce/help-google-understand-your-ecommerce-site-structure
why_it_matters: This page gets clicks but is farther from the home page than most pages, so it receives little link authority.
fix: Link to the page from pages closer to the home page
owner: content
evidence: [depth, page_demand.impressions]
thresholds: {depth: {default: 3, unit: clicks}}
is_by_days: true
*/
SELECT pages.crawl_id, pages.project_id, pages.url, CAST(pages.depth AS VARCHAR) || ' clicks from the start' AS why
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_latest
JOIN mart.crawl_coverage AS coverage ON coverage.crawl_id = pages.crawl_id
JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
WHERE pages.is_indexable AND pages.depth > $depth AND pages.depth > coverage.median_depth + 1 AND demand.clicks > 0
