/*
title: Blocked by robots.txt, in a sitemap
severity: medium
category: sitemaps
definition: A sitemap lists the page, but the page is not indexable because robots.txt blocks it (non_indexable_reason is robots_denied).
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: The sitemap asks search engines to crawl a page that robots.txt blocks.
fix: Make robots.txt readable and allow the page in it, or remove the page from the sitemap
owner: server
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
