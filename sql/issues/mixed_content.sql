/*
title: Mixed content
severity: high
category: security
definition: The page is on HTTPS, and num_mixed_content is above 0.
source: https://developer.mozilla.org/en-US/docs/Web/Security/Mixed_content
why_it_matters: Browsers block what is loaded over HTTP, or warn of it.
fix: Load all parts of the page over HTTPS
mended_by: template
evidence: [num_mixed_content]
cases:
  has: [{num_mixed_content: 1}]
  has_not: [{num_mixed_content: 0}, {num_mixed_content: null}]
*/
SELECT crawl_id, project_id, url, CAST(num_mixed_content AS VARCHAR) || ' parts over HTTP' AS why
FROM mart.pages
WHERE num_mixed_content > 0
