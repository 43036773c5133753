/*
title: Client error (4xx) with demand
severity: high
category: demand
definition: The page is not indexable because it returns a status of 400 to 499 (non_indexable_reason is client_error). No known internal link leads to it. On the days assigned to the crawl (mart.crawl_days), search results showed it, or search engine bots requested it.
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Search engines still know the page and send users to an error page.
fix: Make the page return status 200, or redirect it with a 301 to the page that replaces it
owner: server
evidence: [status_code, nb_inlinks, page_demand.impressions, page_hits.search_bot_hits]
is_by_days: true
*/
SELECT pages.crawl_id, pages.project_id, pages.url, 'HTTP status ' || CAST(pages.status_code AS VARCHAR) AS why
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_latest
LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
LEFT JOIN mart.page_hits AS hits ON hits.crawl_id = pages.crawl_id AND hits.url = pages.url
WHERE pages.non_indexable_reason = 'client_error'
  AND coalesce(pages.nb_inlinks, 0) = 0
  AND NOT coalesce(crawls.is_list, false)
  AND (demand.impressions > 0 OR hits.search_bot_hits > 0)
