/*
title: Invalid sitemap
severity: low
category: sitemaps
definition: The page is the start page of a crawl that read an invalid sitemap (mart.crawl_coverage.flawed_sitemap). The sitemap contains text before the XML, a relative URL or a lastmod that is not a W3C date, or it is on a different host from the robots.txt or index that lists it.
source: https://www.sitemaps.org/protocol.html
why_it_matters: Search engines ignore invalid entries or the whole file, although this crawler reads them.
fix: Correct the entries, for example <loc>https://example.com/page</loc> and <lastmod>2026-01-31</lastmod>, and serve the sitemap on the host that lists it
owner: server
evidence: [depth, crawl_requests.num_urls]
*/
SELECT crawl_id, project_id, start_url AS url, flawed_sitemap AS why
FROM mart.crawl_coverage
WHERE start_url IS NOT NULL AND flawed_sitemap IS NOT NULL
