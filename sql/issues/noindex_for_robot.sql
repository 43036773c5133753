/*
title: Noindex for one search engine
severity: medium
category: indexability
definition: >-
  The page is indexable for the crawler, and asks a search engine by its name not to index it, by a meta tag such as
  googlebot or by X-Robots-Tag (noindex_robots).
source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
why_it_matters: The page is left out of the search results of that engine, and nothing else shows it.
fix: Take away the directive, or say noindex to all
mended_by: template
evidence: [noindex_robots]
cases:
  has: [{is_indexable: true, noindex_robots: [googlebot]}]
  has_not: [{is_indexable: true, noindex_robots: null}, {is_indexable: true, noindex_robots: []}, {is_indexable: false, noindex_robots: [googlebot]}]
*/
SELECT crawl_id, project_id, url, 'noindex for ' || array_to_string(noindex_robots, ', ') AS why
FROM mart.pages
WHERE is_indexable AND array_length(noindex_robots) > 0
