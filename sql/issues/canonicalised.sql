/*
title: Canonicalised page
severity: low
category: canonicals
definition: The page is not indexable because it declares another page as its canonical (non_indexable_reason is canonicalised).
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: Search engines show the other page instead. This is correct only if both pages have the same content.
fix: Check that both pages have the same content, and link directly to the canonical page
owner: content
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
