/*
title: Noindex
severity: low
category: indexability
definition: The first reason why the page is not indexable is noindex.
source: https://developers.google.com/search/docs/crawling-indexing/block-indexing
why_it_matters: The page will not be found by search; that is right only where it is meant.
fix: Take noindex away, if the page is to be found
mended_by: content
evidence: [non_indexable_reason]
cases:
  has: [{status_code: 200, non_indexable_reason: noindex}]
  has_not: [{status_code: 200, non_indexable_reason: canonicalised}]
*/
SELECT crawl_id, project_id, url, 'asks not to be indexed' AS why
FROM mart.pages
WHERE non_indexable_reason = 'noindex'
