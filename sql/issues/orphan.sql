/*
title: Orphan page
severity: medium
category: links
definition: The page is indexable, but users cannot reach it by following links from the start page (mart.orphans). Pages that are known only from log files or search results are included if the crawler requested them at the end of the crawl (mart.rechecks).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Users cannot navigate to the page, and it receives no link authority.
fix: Link to the page from related pages, or remove it
owner: content
needs: [links]
evidence: [depth, nb_inlinks]
*/
SELECT
  crawl_id,
  project_id,
  url,
  CASE reason
    WHEN 'linked_by_orphans_only' THEN 'only orphans link to it'
    WHEN 'only_in_sitemap' THEN 'only a sitemap names it'
    WHEN 'only_in_logs' THEN 'no link leads to it; log files have requests for it'
    WHEN 'only_in_search_results' THEN 'no link leads to it; search results show it'
    WHEN 'only_in_logs_and_search_results' THEN 'no link leads to it; log files and search results have it'
    ELSE 'no link leads to it'
  END AS why
FROM mart.orphans
WHERE is_indexable
