/*
title: Answer by HTTP/1.0
severity: low
category: performance
definition: The page answers 200, and http_version is 1.0.
source: https://www.rfc-editor.org/rfc/rfc9112#appendix-C.2
why_it_matters: The connection mostly closes after each answer, so each part of the page waits for a new one.
fix: Let the server, or the proxy before it, answer by HTTP/1.1 or HTTP/2
mended_by: server
evidence: [status_code, http_version]
cases:
  has: [{status_code: 200, http_version: '1.0'}]
  has_not:
    - {status_code: 200, http_version: '1.1'}
    - {status_code: 200, http_version: null}
    - {status_code: 404, http_version: '1.0'}
*/
SELECT crawl_id, project_id, url, 'answers by HTTP/1.0' AS why
FROM mart.pages
WHERE status_code = 200 AND http_version = '1.0'
