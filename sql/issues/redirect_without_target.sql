/*
title: Redirect without a target
severity: high
category: redirects
definition: The HTTP status is 301, 302, 303, 307 or 308, and the redirect has no target (redirect_location is empty).
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Browsers and search engines cannot follow the redirect.
fix: Send a Location header with the target URL, or return another status
owner: server
evidence: [status_code, redirect_location]
cases:
  has:
    - {status_code: 301, redirect_location: ''}
    - {status_code: 302, redirect_location: ''}
    - {status_code: 303, redirect_location: ''}
    - {status_code: 307, redirect_location: ''}
    - {status_code: 308, redirect_location: ''}
    - {status_code: 302, redirect_location: null}
  has_not:
    - {status_code: 301, redirect_location: 'https://example.org/'}
    - {status_code: 304, redirect_location: ''}
    - {status_code: 306, redirect_location: ''}
    - {status_code: 309, redirect_location: ''}
*/
SELECT crawl_id, project_id, url, 'HTTP status ' || CAST(status_code AS VARCHAR) || ' without a location' AS why
FROM mart.pages
WHERE status_code IN (301, 302, 303, 307, 308) AND coalesce(redirect_location, '') = ''
