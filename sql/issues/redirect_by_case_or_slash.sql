/*
title: Redirect by case or trailing slash
severity: low
category: redirects
definition: The URL and its redirect target (redirect_location) differ only in case or in the trailing slash.
source: https://sitebulb.com/hints/redirects/
why_it_matters: The site links to several variants of one URL. Each redirect costs an extra request.
fix: Change the links to the exact final URL
owner: server
evidence: [redirect_location]
cases:
  has:
    - {status_code: 301, url: 'https://example.org/A', redirect_location: 'https://example.org/a/'}
    - {status_code: 300, url: 'https://example.org/a', redirect_location: 'https://example.org/A'}
    - {status_code: 399, url: 'https://example.org/a', redirect_location: 'https://example.org/a/'}
    - {status_code: 301, url: 'https://example.org/a/', redirect_location: 'https://example.org/a'}
  has_not:
    - {status_code: 301, url: 'https://example.org/a', redirect_location: 'https://example.org/b'}
    - {status_code: 299, url: 'https://example.org/a', redirect_location: 'https://example.org/a/'}
    - {status_code: 400, url: 'https://example.org/b', redirect_location: 'https://example.org/b/'}
    - {status_code: 301, url: 'https://example.org/a', redirect_location: 'https://example.org/a'}
*/
SELECT crawl_id, project_id, url, 'redirects to ' || redirect_location AS why, redirect_location AS related_url
FROM mart.pages
WHERE status_code BETWEEN 300 AND 399
  AND url <> redirect_location
  AND regexp_replace(lower(url), '/$', '') = regexp_replace(lower(redirect_location), '/$', '')
