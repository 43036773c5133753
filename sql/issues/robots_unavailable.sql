/*
title: robots.txt could not be read
severity: high
category: availability
definition: The crawler did not request the page, because the robots.txt of its host returned status 429 or 500 to 599, or did not respond in time (processing_warnings contains robots_unavailable).
source: https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt#http-status-codes
why_it_matters: Google stops crawling a host whose robots.txt it cannot fetch. This crawler does the same, so the page is missing from the crawl.
fix: Return status 200 for robots.txt, or 404 if the host has no robots.txt
owner: server
evidence: [processing_warnings]
cases:
  has: [{observation_reason: robots_unavailable}]
  has_not: [{observation_reason: blocked_by_robots}, {observation_reason: null}]
*/
SELECT crawl_id, project_id, url, 'robots.txt could not be read, so the page was not requested' AS why
FROM mart.pages
WHERE observation_reason = 'robots_unavailable'
