/*
title: Error in a sitemap
severity: medium
category: sitemaps
definition: A sitemap lists the page, and the first reason why it is not indexable is client_error or server_error.
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: A sitemap that lists errors is trusted less.
fix: Take the page out of the sitemap, or let it answer with status 200
mended_by: server
evidence: [sitemaps_file_origin, non_indexable_reason]
cases:
  has:
    - {sitemaps_file_origin: [a.xml], non_indexable_reason: client_error, status_code: 404}
    - {sitemaps_file_origin: [a.xml], non_indexable_reason: server_error, status_code: 503}
  has_not:
    - {sitemaps_file_origin: [], non_indexable_reason: client_error, status_code: 404}
    - {sitemaps_file_origin: [a.xml], is_indexable: true}
*/
SELECT crawl_id, project_id, url, 'HTTP status ' || CAST(status_code AS VARCHAR) AS why
FROM mart.pages
WHERE array_length(sitemaps_file_origin) > 0 AND non_indexable_reason IN ('client_error', 'server_error')
