/*
title: No Strict-Transport-Security
severity: low
category: security
definition: The page answers 200, and missing_security_headers contains strict-transport-security.
source: https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Strict-Transport-Security
why_it_matters: A first visit over HTTP can be listened to.
fix: Send Strict-Transport-Security with every HTTPS answer
mended_by: server
evidence: [status_code, missing_security_headers]
cases:
  has: [{status_code: 200, missing_security_headers: [strict-transport-security]}, {status_code: 200, missing_security_headers: [a, strict-transport-security, z]}]
  has_not: [{status_code: 200, missing_security_headers: []}, {status_code: 404, missing_security_headers: [strict-transport-security]}]
*/
SELECT crawl_id, project_id, url, 'sent without strict-transport-security' AS why
FROM mart.pages
WHERE status_code = 200 AND ',' || array_to_string(missing_security_headers, ',') || ',' LIKE '%,strict-transport-security,%'
