/*
title: Mixed content
severity: high
category: security
definition: The page is served over HTTPS and loads resources over HTTP (num_mixed_content is above 0).
source: https://developer.mozilla.org/en-US/docs/Web/Security/Mixed_content
why_it_matters: Browsers block content that is loaded over HTTP, or warn about it.
fix: Load all images, scripts and styles over HTTPS
owner: template
evidence: [num_mixed_content]
cases:
  has: [{num_mixed_content: 1}]
  has_not: [{num_mixed_content: 0}, {num_mixed_content: null}]
*/
SELECT crawl_id, project_id, url, CAST(num_mixed_content AS VARCHAR) || ' parts over HTTP' AS why
FROM mart.pages
WHERE num_mixed_content > 0
