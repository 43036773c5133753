/*
title: Error page in a sitemap
severity: medium
category: sitemaps
definition: A sitemap lists the page, but the page is not indexable because it returns a status of 400 to 599 (non_indexable_reason is client_error or server_error).
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: Search engines trust a sitemap less if it contains errors.
fix: Remove the page from the sitemap, or make it return status 200
owner: server
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
