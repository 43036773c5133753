/*
title: Search bots on a non-indexable page
severity: low
category: demand
definition: The page is not indexable. Search engine bots requested it while it was not indexable, on the days assigned to the crawl (mart.crawl_days).
source: https://developers.google.com/search/docs/crawling-indexing/large-site-managing-crawl-budget
why_it_matters: Search engines waste requests on this page instead of crawling indexable pages.
fix: Remove the page from sitemaps and remove the links to it, unless it should be indexed
owner: template
evidence: [non_indexable_reason, page_hits.search_bot_hits]
is_by_days: true
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  CAST(budget.non_indexable_hits AS VARCHAR) || ' hits of search bots (' || CASE pages.non_indexable_reason
    WHEN 'robots_denied' THEN 'blocked by robots.txt'
    ELSE replace(pages.non_indexable_reason, '_', ' ')
  END || ')' AS why
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_latest
JOIN mart.crawl_budget AS budget ON budget.crawl_id = pages.crawl_id AND budget.url = pages.url
WHERE NOT pages.is_indexable AND budget.non_indexable_hits > 0
