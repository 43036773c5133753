/*
title: Sitemap with a flaw
severity: low
category: sitemaps
definition: >-
  The page is the start page of a crawl that read a sitemap with a flaw: text before the XML (text_before_xml), a URL without
  scheme and host (relative_url), a lastmod
  that is no W3C date (invalid_lastmod), or another host than the robots.txt or index that lists it (mart.crawl_coverage.flawed_sitemap).
source: https://www.sitemaps.org/protocol.html
why_it_matters: Search engines ignore such entries or the whole file; the crawler reads them all the same.
fix: Write the sitemap by the protocol, on the host that lists it
mended_by: server
evidence: [depth, crawl_requests.num_urls]
*/
SELECT crawl_id, project_id, start_url AS url, flawed_sitemap AS why
FROM mart.crawl_coverage
WHERE start_url IS NOT NULL AND flawed_sitemap IS NOT NULL
