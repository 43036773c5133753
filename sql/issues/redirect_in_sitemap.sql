/*
title: Redirect in a sitemap
severity: low
category: sitemaps
definition: A sitemap lists the page, but the page is not indexable because it redirects (non_indexable_reason is redirect).
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: Sitemaps should list only final URLs.
fix: Remove the redirect from the sitemap, and list its final URL if that URL returns 200
owner: server
evidence: [sitemaps_file_origin, non_indexable_reason]
cases:
  has: [{sitemaps_file_origin: [a.xml], non_indexable_reason: redirect, status_code: 301}]
  has_not:
    - {sitemaps_file_origin: [], non_indexable_reason: redirect, status_code: 301}
    - {sitemaps_file_origin: [a.xml], is_indexable: true}
*/
SELECT crawl_id, project_id, url, 'HTTP status ' || CAST(status_code AS VARCHAR) AS why, coalesce(final_redirect_location, redirect_location) AS related_url
FROM mart.pages
WHERE array_length(sitemaps_file_origin) > 0 AND non_indexable_reason = 'redirect'
