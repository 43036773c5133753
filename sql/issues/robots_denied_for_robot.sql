/*
title: Blocked by robots.txt for one search engine
severity: medium
category: indexability
definition: The page is indexable for the crawler, but robots.txt blocks it for a search engine (denied_robots). Either robots.txt contains rules for that search engine's bot, such as googlebot, or its rules for the crawler differ from its rules for all bots.
source: https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt
why_it_matters: This search engine cannot read the page. No other issue reports the cause.
fix: Remove the rule for that bot from robots.txt, or block the page for all bots
owner: server
evidence: [denied_robots]
cases:
  has: [{is_indexable: true, denied_robots: [googlebot]}]
  has_not: [{is_indexable: true, denied_robots: null}, {is_indexable: true, denied_robots: []}, {is_indexable: false, denied_robots: [googlebot]}]
*/
SELECT crawl_id, project_id, url, 'robots.txt blocks it for ' || array_to_string(denied_robots, ', ') AS why
FROM mart.pages
WHERE is_indexable AND array_length(denied_robots) > 0
