/*
title: Missing Strict-Transport-Security
severity: low
category: security
definition: The page returns 200 without a Strict-Transport-Security header (missing_security_headers).
source: https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Strict-Transport-Security
why_it_matters: An attacker can intercept every visit that starts over HTTP.
fix: Send the header with every HTTPS response, for example with the value max-age=31536000
owner: server
evidence: [status_code, missing_security_headers]
cases:
  has: [{status_code: 200, missing_security_headers: [strict-transport-security]}, {status_code: 200, missing_security_headers: [a, strict-transport-security, z]}]
  has_not: [{status_code: 200, missing_security_headers: []}, {status_code: 404, missing_security_headers: [strict-transport-security]}]
*/
SELECT crawl_id, project_id, url, 'sent without strict-transport-security' AS why
FROM mart.pages
WHERE status_code = 200 AND ',' || array_to_string(missing_security_headers, ',') || ',' LIKE '%,strict-transport-security,%'
