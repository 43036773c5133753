/*
title: Sitemap that could not be read
severity: medium
category: sitemaps
definition: >-
  The page is the start page of a crawl that could not read a sitemap: robots.txt, a sitemap index or the configuration names
  it, and it answers with an error, is no sitemap (such as a page of HTML), or is not whole (mart.crawl_coverage.unread_sitemap).
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: Search engines read a sitemap as the crawler does; pages that only this one lists are not found.
fix: Let the sitemap answer with status 200 and whole XML, or remove its line from robots.txt
mended_by: server
evidence: [depth, crawl_requests.num_urls]
*/
SELECT crawl_id, project_id, start_url AS url, unread_sitemap AS why
FROM mart.crawl_coverage
WHERE start_url IS NOT NULL AND unread_sitemap IS NOT NULL
