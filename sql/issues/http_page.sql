/*
title: Page without HTTPS
severity: high
category: security
definition: >-
  The URL begins with http://, the HTTP status is 200, and the host is not the machine itself (localhost, 127.…).
source: https://sitebulb.com/hints/security/
why_it_matters: Browsers warn of it, and anybody between can read and change it.
fix: Serve the page by HTTPS, and redirect to it
mended_by: server
evidence: [status_code]
cases:
  has: [{status_code: 200, url: 'http://example.org/a'}]
  has_not:
    - {status_code: 200, url: 'https://example.org/a'}
    - {status_code: 301, url: 'http://example.org/a'}
    - {status_code: 200, url: 'http://localhost:8080/a'}
    - {status_code: 200, url: 'http://127.0.0.1/a'}
*/
SELECT crawl_id, project_id, url, 'answers by HTTP' AS why
FROM mart.pages
WHERE status_code = 200
  AND starts_with(url, 'http://')
  AND NOT starts_with(url, 'http://localhost')
  AND NOT starts_with(url, 'http://127.')
