/*
title: Canonicalised page
severity: low
category: canonicals
definition: >-
  The first reason why the page is not indexable is canonicalised: it declares another page as its canonical.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: The other page stands for it in search results; that is right only where both are the same.
fix: See that both pages say the same, and link to the canonical one
mended_by: content
evidence: [non_indexable_reason]
cases:
  has:
    - {non_indexable_reason: canonicalised, canonical_url: 'https://example.org/b'}
    - {non_indexable_reason: canonicalised, rel_canonical: /b}
    - {non_indexable_reason: canonicalised}
  has_not: [{non_indexable_reason: noindex}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || coalesce(canonical_url, rel_canonical, 'another page') AS why, canonical_url AS related_url
FROM mart.pages
WHERE non_indexable_reason = 'canonicalised'
