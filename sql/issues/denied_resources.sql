/*
title: Resources denied by robots.txt
severity: medium
category: rendering
definition: The page answers 200, and it asks for resources that robots.txt denies.
source: https://developers.google.com/search/docs/crawling-indexing/robots/intro
why_it_matters: Search engines render the page without these scripts, styles or data, and may miss what it says.
fix: Edit robots.txt so that it allows what the page needs
mended_by: server
evidence: [status_code, num_resources_denied]
cases:
  has: [{status_code: 200, num_resources_denied: 1}, {status_code: 200, num_resources_denied: 2}]
  has_not: [{status_code: 200, num_resources_denied: 0}, {status_code: 404, num_resources_denied: 1}]
*/
SELECT crawl_id, project_id, url, CAST(num_resources_denied AS VARCHAR) || CASE WHEN num_resources_denied = 1 THEN ' resource' ELSE ' resources' END AS why
FROM mart.pages
WHERE status_code = 200 AND num_resources_denied > 0
