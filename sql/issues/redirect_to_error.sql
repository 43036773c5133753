/*
title: Redirect to an error page
severity: high
category: redirects
definition: The HTTP status is 300 to 399, and the redirect ends at a URL with status 400 to 599 (final_redirect_status).
source: https://sitebulb.com/hints/redirects/
why_it_matters: Users who follow the redirect see an error page.
fix: Redirect to a page that returns 200, or remove the redirect
owner: server
evidence: [status_code, final_redirect_status]
cases:
  has:
    - {status_code: 301, final_redirect_status: 404}
    - {status_code: 300, final_redirect_status: 400}
    - {status_code: 399, final_redirect_status: 599}
  has_not:
    - {status_code: 301, final_redirect_status: 200}
    - {status_code: 200, final_redirect_status: 404}
    - {status_code: 299, final_redirect_status: 404}
    - {status_code: 400, final_redirect_status: 404}
    - {status_code: 301, final_redirect_status: 399}
    - {status_code: 301, final_redirect_status: 600}
*/
SELECT crawl_id, project_id, url, 'leads to HTTP status ' || CAST(final_redirect_status AS VARCHAR) AS why, final_redirect_location AS related_url
FROM mart.pages
WHERE status_code BETWEEN 300 AND 399 AND final_redirect_status BETWEEN 400 AND 599
