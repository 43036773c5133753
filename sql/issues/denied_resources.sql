/*
title: Resources blocked by robots.txt
severity: medium
category: rendering
definition: The page returns 200 and uses resources that robots.txt blocks.
source: https://developers.google.com/search/docs/crawling-indexing/robots/intro
why_it_matters: Search engines render the page without these scripts, styles or data, and may miss content.
fix: Allow the resources in robots.txt
owner: server
evidence: [status_code, num_resources_denied]
cases:
  has: [{status_code: 200, num_resources_denied: 1}, {status_code: 200, num_resources_denied: 2}]
  has_not: [{status_code: 200, num_resources_denied: 0}, {status_code: 404, num_resources_denied: 1}]
*/
SELECT crawl_id, project_id, url, CAST(num_resources_denied AS VARCHAR) || CASE WHEN num_resources_denied = 1 THEN ' resource' ELSE ' resources' END AS why
FROM mart.pages
WHERE status_code = 200 AND num_resources_denied > 0
