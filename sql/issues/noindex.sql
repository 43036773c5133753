/*
title: Noindex
severity: low
category: indexability
definition: The page is not indexable because of noindex (non_indexable_reason is noindex).
source: https://developers.google.com/search/docs/crawling-indexing/block-indexing
why_it_matters: Search engines do not show the page. This is correct only if it is intentional.
fix: If the page should appear in search results, remove noindex from the robots meta tag or X-Robots-Tag
owner: content
evidence: [non_indexable_reason]
cases:
  has: [{status_code: 200, non_indexable_reason: noindex}]
  has_not: [{status_code: 200, non_indexable_reason: canonicalised}]
*/
SELECT crawl_id, project_id, url, 'noindex' AS why
FROM mart.pages
WHERE non_indexable_reason = 'noindex'
