/*
title: Page without HTTPS
severity: high
category: security
definition: The URL begins with http:// and returns 200, and the host is not the local machine (localhost or 127.…).
source: https://sitebulb.com/hints/security/
why_it_matters: Browsers warn users that the page is not secure, and anyone on the network can read or alter it.
fix: Serve the page over HTTPS, and redirect the http:// URL to the https:// URL
owner: server
evidence: [status_code]
cases:
  has: [{status_code: 200, url: 'http://example.org/a'}]
  has_not:
    - {status_code: 200, url: 'https://example.org/a'}
    - {status_code: 301, url: 'http://example.org/a'}
    - {status_code: 200, url: 'http://localhost:8080/a'}
    - {status_code: 200, url: 'http://127.0.0.1/a'}
*/
SELECT crawl_id, project_id, url, 'answers over HTTP' AS why
FROM mart.pages
WHERE status_code = 200
  AND starts_with(url, 'http://')
  AND NOT starts_with(url, 'http://localhost')
  AND NOT starts_with(url, 'http://127.')
