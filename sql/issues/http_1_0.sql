/*
title: Response over HTTP/1.0
severity: low
category: performance
definition: The page returns 200 over HTTP/1.0 (http_version).
source: https://www.rfc-editor.org/rfc/rfc9112#appendix-C.2
why_it_matters: The connection usually closes after each response, so each of the page's resources needs a new connection.
fix: Enable HTTP/1.1 or HTTP/2 on the server or its proxy
owner: server
evidence: [status_code, http_version]
cases:
  has: [{status_code: 200, http_version: '1.0'}]
  has_not:
    - {status_code: 200, http_version: '1.1'}
    - {status_code: 200, http_version: null}
    - {status_code: 404, http_version: '1.0'}
*/
SELECT crawl_id, project_id, url, 'answers over HTTP/1.0' AS why
FROM mart.pages
WHERE status_code = 200 AND http_version = '1.0'
