/*
title: Blocked by robots.txt
severity: low
category: indexability
definition: robots.txt blocks the page, and internal links lead to it.
source: https://developers.google.com/search/docs/crawling-indexing/robots/intro
why_it_matters: Search engines cannot read the page, but may still list its URL without a snippet.
fix: Allow the page in robots.txt, or remove the links to the page
owner: server
related: linking_page
evidence: [is_robots_denied, nb_inlinks]
cases:
  has: [{is_robots_denied: true, nb_inlinks: 1}]
  has_not: [{is_robots_denied: true, nb_inlinks: 0}, {is_robots_denied: false, nb_inlinks: 1}]
*/
SELECT
  crawl_id,
  project_id,
  url,
  'robots.txt blocks it; ' || CAST(nb_inlinks AS VARCHAR) || CASE WHEN nb_inlinks = 1 THEN ' link' ELSE ' links' END AS why
FROM mart.pages
WHERE is_robots_denied AND nb_inlinks > 0
