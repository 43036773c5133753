/*
title: Missing X-Content-Type-Options
severity: low
category: security
definition: The page returns 200 without an X-Content-Type-Options header (missing_security_headers).
source: https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Content-Type-Options
why_it_matters: Browsers may guess a file's type and run it as a script.
fix: Send the header with the value nosniff
owner: server
evidence: [status_code, missing_security_headers]
cases:
  has: [{status_code: 200, missing_security_headers: [x-content-type-options]}, {status_code: 200, missing_security_headers: [a, x-content-type-options, z]}]
  has_not: [{status_code: 200, missing_security_headers: []}, {status_code: 404, missing_security_headers: [x-content-type-options]}]
*/
SELECT crawl_id, project_id, url, 'sent without x-content-type-options' AS why
FROM mart.pages
WHERE status_code = 200 AND ',' || array_to_string(missing_security_headers, ',') || ',' LIKE '%,x-content-type-options,%'
