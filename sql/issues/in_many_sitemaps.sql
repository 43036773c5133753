/*
title: In more than one sitemap
severity: low
category: sitemaps
definition: More than one sitemap lists the page.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search engines read it more than once for nothing, and its dates may differ.
fix: List each page once
mended_by: server
evidence: [sitemaps_file_origin]
cases:
  has: [{sitemaps_file_origin: [a.xml, b.xml]}]
  has_not: [{sitemaps_file_origin: [a.xml]}]
*/
SELECT crawl_id, project_id, url, CAST(array_length(sitemaps_file_origin) AS VARCHAR) || ' sitemaps' AS why
FROM mart.pages
WHERE array_length(sitemaps_file_origin) > 1
