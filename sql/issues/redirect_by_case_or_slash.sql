/*
title: Redirect by case or slash
severity: low
category: redirects
definition: The URL differs from redirect_location only in its case or in the slash at its end.
source: https://sitebulb.com/hints/redirects/
why_it_matters: Links of the site write an address in more ways than one, and each costs a hop.
fix: Write links as the page is called
mended_by: server
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
