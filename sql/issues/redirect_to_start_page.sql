/*
title: Redirect to the start page
severity: medium
category: redirects
definition: >-
  final_redirect_location is the start page of the page's own host, and the page is no other name of it, such as
  /index.html.
source: https://sitebulb.com/hints/redirects/
why_it_matters: Search engines treat a redirect of a lost page to the start page as an error (soft 404).
fix: Redirect to the page that takes its place, or answer with 404 or 410
mended_by: server
evidence: [final_redirect_location]
cases:
  has:
    - {status_code: 301, urlpath: /a, url_host: example.org, final_redirect_location: 'https://example.org/'}
    - {status_code: 300, urlpath: /a, url_host: example.org, final_redirect_location: 'http://example.org/'}
    - {status_code: 399, urlpath: /a, url_host: example.org, final_redirect_location: 'http://example.org/'}
  has_not:
    - {status_code: 301, urlpath: /, url_host: example.org, final_redirect_location: 'https://example.org/'}
    - {status_code: 301, urlpath: /index.php, url_host: example.org, final_redirect_location: 'https://example.org/'}
    - {status_code: 301, urlpath: /a, url_host: example.org, final_redirect_location: 'https://example.org/b'}
    - {status_code: 299, urlpath: /a, url_host: example.org, final_redirect_location: 'https://example.org/'}
    - {status_code: 400, urlpath: /a, url_host: example.org, final_redirect_location: 'https://example.org/'}
*/
SELECT crawl_id, project_id, url, 'leads to ' || final_redirect_location AS why, final_redirect_location AS related_url
FROM mart.pages
WHERE status_code BETWEEN 300 AND 399
  AND regexp_replace(lower(urlpath), '^/(index|default|home|start|main)?([.][a-z]+)?/?$', '') <> ''
  AND final_redirect_location IN ('https://' || url_host || '/', 'http://' || url_host || '/')
