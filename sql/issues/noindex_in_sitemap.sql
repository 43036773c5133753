/*
title: Noindex page in a sitemap
severity: medium
category: sitemaps
definition: A sitemap lists the page, but the page is not indexable because of noindex (non_indexable_reason is noindex).
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: The sitemap asks search engines to index a page that has noindex.
fix: Remove the page from the sitemap, or remove noindex
owner: server
evidence: [sitemaps_file_origin, non_indexable_reason]
cases:
  has: [{sitemaps_file_origin: [a.xml], non_indexable_reason: noindex}]
  has_not:
    - {sitemaps_file_origin: [], non_indexable_reason: noindex}
    - {sitemaps_file_origin: [a.xml], is_indexable: true}
*/
SELECT crawl_id, project_id, url, 'noindex' AS why
FROM mart.pages
WHERE array_length(sitemaps_file_origin) > 0 AND non_indexable_reason = 'noindex'
