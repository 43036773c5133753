/*
title: On page two of the search results
severity: medium
category: demand
definition: The page is indexable. On the days assigned to the crawl (mart.crawl_days), it appeared in search results at least $impressions times, at an average position of 11 to 20.
source: https://support.google.com/webmasters/answer/7576553
why_it_matters: A small improvement can move the page to the first page of results, where most users click.
fix: Add content that answers the queries, and link to the page from more pages
owner: content
evidence: [is_indexable, page_demand.impressions]
thresholds: {impressions: {default: 100, unit: impressions}}
is_by_days: true
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  'position ' || CAST(CAST(round(CAST(demand.average_position AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ', '
    || CAST(demand.impressions AS VARCHAR) || ' impressions' AS why
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_latest
JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
WHERE pages.is_indexable AND demand.impressions >= $impressions AND demand.average_position BETWEEN 11 AND 20
