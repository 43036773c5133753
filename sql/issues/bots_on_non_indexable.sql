/*
title: Search bots on a page that is not indexable
severity: low
category: demand
definition: >-
  The page is not indexable, and bots of search engines asked for it, on days that belong to the crawl, when it was not
  indexable either.
source: https://developers.google.com/search/docs/crawling-indexing/large-site-managing-crawl-budget
why_it_matters: Visits that indexable pages do not get are spent on it.
fix: Remove the links and sitemap entries that lead to it, unless it should be indexed
mended_by: template
evidence: [non_indexable_reason, page_hits.search_bot_hits]
is_by_days: true
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  CAST(budget.non_indexable_hits AS VARCHAR) || ' hits of search bots (' || pages.non_indexable_reason || ')' AS why
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_latest
JOIN mart.crawl_budget AS budget ON budget.crawl_id = pages.crawl_id AND budget.url = pages.url
WHERE NOT pages.is_indexable AND budget.non_indexable_hits > 0
