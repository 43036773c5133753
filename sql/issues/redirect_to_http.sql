/*
title: Redirect from HTTPS to HTTP
severity: high
category: security
definition: The URL begins with https://, and its redirect target (redirect_location) begins with http://.
source: https://sitebulb.com/hints/security/
why_it_matters: The connection is no longer encrypted, and browsers may refuse to follow the redirect.
fix: Redirect to the https:// URL
owner: server
evidence: [redirect_location]
cases:
  has: [{url: 'https://example.org/a', redirect_location: 'http://example.org/b'}]
  has_not:
    - {url: 'https://example.org/a', redirect_location: 'https://example.org/b'}
    - {url: 'http://example.org/a', redirect_location: 'http://example.org/b'}
*/
SELECT crawl_id, project_id, url, 'redirects to ' || redirect_location AS why, redirect_location AS related_url
FROM mart.pages
WHERE starts_with(url, 'https://') AND starts_with(redirect_location, 'http://')
