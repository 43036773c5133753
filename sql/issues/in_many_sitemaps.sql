/*
title: Page in several sitemaps
severity: low
category: sitemaps
definition: Several sitemaps list the page.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search engines read several entries for the page, possibly with different dates.
fix: List each page in only one sitemap
owner: server
evidence: [sitemaps_file_origin]
cases:
  has: [{sitemaps_file_origin: [a.xml, b.xml]}]
  has_not: [{sitemaps_file_origin: [a.xml]}]
*/
SELECT crawl_id, project_id, url, CAST(array_length(sitemaps_file_origin) AS VARCHAR) || ' sitemaps' AS why
FROM mart.pages
WHERE array_length(sitemaps_file_origin) > 1
