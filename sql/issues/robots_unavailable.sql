/*
title: robots.txt could not be read
severity: high
category: availability
definition: >-
  The crawler did not request the page because the robots.txt of its host could not be read: it has a status of 429 or 500
  to 599, or no answer in time (processing_warnings contains robots_unavailable).
source: https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt#http-status-codes
why_it_matters: Google stops crawling a host whose robots.txt fails, and so does this crawler; nothing is known of the page.
fix: Let robots.txt answer with status 200, or with 404 where there is none
mended_by: server
evidence: [processing_warnings]
cases:
  has: [{observation_reason: robots_unavailable}]
  has_not: [{observation_reason: blocked_by_robots}, {observation_reason: null}]
*/
SELECT crawl_id, project_id, url, 'robots.txt could not be read, so the page was not requested' AS why
FROM mart.pages
WHERE observation_reason = 'robots_unavailable'
