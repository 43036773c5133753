/*
title: Form that is sent to HTTP
severity: high
category: security
definition: The page is on HTTPS, and num_insecure_forms is above 0.
source: https://developer.mozilla.org/en-US/docs/Web/Security/Mixed_content
why_it_matters: What people enter is sent without encryption, and browsers warn of it.
fix: Send the form to an HTTPS address
mended_by: template
evidence: [num_insecure_forms]
cases:
  has: [{num_insecure_forms: 1}]
  has_not: [{num_insecure_forms: 0}, {num_insecure_forms: null}]
*/
SELECT crawl_id, project_id, url, CAST(num_insecure_forms AS VARCHAR) || ' forms to HTTP' AS why
FROM mart.pages
WHERE num_insecure_forms > 0
