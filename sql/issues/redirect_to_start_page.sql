/*
title: Redirect to the home page
severity: medium
category: redirects
definition: The redirect ends at the home page of the same host (final_redirect_location). The redirecting URL is not an alternative URL of the home page, such as /index.html.
source: https://sitebulb.com/hints/redirects/
why_it_matters: Search engines treat the redirect of a removed page to the home page as a soft 404.
fix: Redirect to the page that replaces the removed page, or return 404 or 410
owner: server
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
