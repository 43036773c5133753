/*
title: Canonicalised page in a sitemap
severity: low
category: sitemaps
definition: A sitemap lists the page, but the page is not indexable because it declares another page as its canonical (non_indexable_reason is canonicalised).
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: The sitemap and the canonical tell search engines to show different URLs.
fix: Remove the page from the sitemap, or give it a self-referencing canonical
owner: server
evidence: [sitemaps_file_origin, non_indexable_reason]
cases:
  has: [{sitemaps_file_origin: [a.xml], non_indexable_reason: canonicalised}]
  has_not:
    - {sitemaps_file_origin: [], non_indexable_reason: canonicalised}
    - {sitemaps_file_origin: [a.xml], is_indexable: true}
*/
SELECT crawl_id, project_id, url, 'canonical ' || coalesce(canonical_url, rel_canonical, 'another page') AS why, canonical_url AS related_url
FROM mart.pages
WHERE array_length(sitemaps_file_origin) > 0 AND non_indexable_reason = 'canonicalised'
