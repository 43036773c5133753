/*
title: Blocked by robots.txt for one search engine
severity: medium
category: indexability
definition: >-
  The page is indexable for the crawler, and robots.txt denies it to a search engine: it has rules for that robot, such as
  googlebot, or other rules for the crawler than for all (denied_robots).
source: https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt
why_it_matters: That engine can not read the page, and nothing else shows it.
fix: Remove the rule of that robot from robots.txt, or deny the page to all
mended_by: server
evidence: [denied_robots]
cases:
  has: [{is_indexable: true, denied_robots: [googlebot]}]
  has_not: [{is_indexable: true, denied_robots: null}, {is_indexable: true, denied_robots: []}, {is_indexable: false, denied_robots: [googlebot]}]
*/
SELECT crawl_id, project_id, url, 'robots.txt blocks it for ' || array_to_string(denied_robots, ', ') AS why
FROM mart.pages
WHERE is_indexable AND array_length(denied_robots) > 0
