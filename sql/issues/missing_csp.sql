/*
title: No Content-Security-Policy
severity: low
category: security
definition: The page answers 200, and missing_security_headers contains content-security-policy.
source: https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Content-Security-Policy
why_it_matters: A script that someone plants in the page runs without a limit.
fix: Send a Content-Security-Policy
mended_by: server
evidence: [status_code, missing_security_headers]
cases:
  has: [{status_code: 200, missing_security_headers: [content-security-policy]}, {status_code: 200, missing_security_headers: [a, content-security-policy, z]}]
  has_not: [{status_code: 200, missing_security_headers: []}, {status_code: 404, missing_security_headers: [content-security-policy]}]
*/
SELECT crawl_id, project_id, url, 'sent without content-security-policy' AS why
FROM mart.pages
WHERE status_code = 200 AND ',' || array_to_string(missing_security_headers, ',') || ',' LIKE '%,content-security-policy,%'
