/*
title: Blocked page in a sitemap
severity: medium
category: sitemaps
definition: A sitemap lists the page, and the first reason why it is not indexable is robots_denied.
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: The sitemap asks for what robots.txt forbids.
fix: Edit robots.txt so that it answers and allows the page, or take the page out of the sitemap
mended_by: server
evidence: [sitemaps_file_origin, non_indexable_reason]
cases:
  has: [{sitemaps_file_origin: [a.xml], non_indexable_reason: robots_denied}]
  has_not:
    - {sitemaps_file_origin: [], non_indexable_reason: robots_denied}
    - {sitemaps_file_origin: [a.xml], is_indexable: true}
*/
SELECT crawl_id, project_id, url, 'robots.txt blocks it' AS why
FROM mart.pages
WHERE array_length(sitemaps_file_origin) > 0 AND non_indexable_reason = 'robots_denied'
