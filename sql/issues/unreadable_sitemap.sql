/*
title: Unreadable sitemap
severity: medium
category: sitemaps
definition: The page is the start page of a crawl that could not read a sitemap listed in robots.txt, a sitemap index or the configuration (mart.crawl_coverage.unread_sitemap). The sitemap's URL returns an error, an incomplete sitemap, or something other than a sitemap, such as an HTML page.
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: Search engines cannot read the sitemap either, so they miss pages that only this sitemap lists.
fix: Make the sitemap return status 200 and complete XML, or remove its line from robots.txt
owner: server
evidence: [depth, crawl_requests.num_urls]
*/
SELECT crawl_id, project_id, start_url AS url, unread_sitemap AS why
FROM mart.crawl_coverage
WHERE start_url IS NOT NULL AND unread_sitemap IS NOT NULL
