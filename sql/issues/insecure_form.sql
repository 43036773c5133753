/*
title: Form that submits to HTTP
severity: high
category: security
definition: The page is served over HTTPS and contains a form whose action is an http:// URL (num_insecure_forms is above 0).
source: https://developer.mozilla.org/en-US/docs/Web/Security/Mixed_content
why_it_matters: The browser sends the user's input unencrypted, and shows a warning.
fix: Change the form's action to an https:// URL
owner: template
evidence: [num_insecure_forms]
cases:
  has: [{num_insecure_forms: 1}]
  has_not: [{num_insecure_forms: 0}, {num_insecure_forms: null}]
*/
SELECT crawl_id, project_id, url, CAST(num_insecure_forms AS VARCHAR) || ' forms to HTTP' AS why
FROM mart.pages
WHERE num_insecure_forms > 0
