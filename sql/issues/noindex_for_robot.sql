/*
title: Noindex for one search engine
severity: medium
category: indexability
definition: The page is indexable for the crawler, but a meta tag (such as googlebot) or the X-Robots-Tag sets noindex for one search engine (noindex_robots).
source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
why_it_matters: This search engine does not show the page. No other issue reports the cause.
fix: Remove <meta name="googlebot" content="noindex"> or the X-Robots-Tag, or use noindex for all search engines
owner: template
evidence: [noindex_robots]
cases:
  has: [{is_indexable: true, noindex_robots: [googlebot]}]
  has_not: [{is_indexable: true, noindex_robots: null}, {is_indexable: true, noindex_robots: []}, {is_indexable: false, noindex_robots: [googlebot]}]
*/
SELECT crawl_id, project_id, url, 'noindex for ' || array_to_string(noindex_robots, ', ') AS why
FROM mart.pages
WHERE is_indexable AND array_length(noindex_robots) > 0
