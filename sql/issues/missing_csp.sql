/*
title: Missing Content-Security-Policy
severity: low
category: security
definition: The page returns 200 without a Content-Security-Policy header (missing_security_headers).
source: https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Content-Security-Policy
why_it_matters: The browser runs any script that an attacker injects into the page.
fix: Send the header with a policy, such as default-src 'self'
owner: server
evidence: [status_code, missing_security_headers]
cases:
  has: [{status_code: 200, missing_security_headers: [content-security-policy]}, {status_code: 200, missing_security_headers: [a, content-security-policy, z]}]
  has_not: [{status_code: 200, missing_security_headers: []}, {status_code: 404, missing_security_headers: [content-security-policy]}]
*/
SELECT crawl_id, project_id, url, 'sent without content-security-policy' AS why
FROM mart.pages
WHERE status_code = 200 AND ',' || array_to_string(missing_security_headers, ',') || ',' LIKE '%,content-security-policy,%'
