/*
title: Tracking parameters in internal links
severity: medium
category: urls
definition: The page returns 200, internal links lead to it, and its URL contains utm_source=, utm_medium=, utm_campaign=, gclid= or fbclid=.
source: https://sitebulb.com/hints/internal/
why_it_matters: Internal links with tracking parameters start a new session in analytics and create duplicate URLs.
fix: Remove the tracking parameters from internal links
owner: content
evidence: [nb_inlinks]
cases:
  has:
    - {status_code: 200, nb_inlinks: 1, url: 'https://example.org/?utm_source=a'}
    - {status_code: 200, nb_inlinks: 1, url: 'https://example.org/?gclid=a'}
    - {status_code: 200, nb_inlinks: 1, url: 'https://example.org/?utm_medium=a'}
    - {status_code: 200, nb_inlinks: 1, url: 'https://example.org/?utm_campaign=a'}
    - {status_code: 200, nb_inlinks: 1, url: 'https://example.org/?fbclid=a'}
  has_not:
    - {status_code: 200, nb_inlinks: 0, url: 'https://example.org/?utm_source=a'}
    - {status_code: 200, nb_inlinks: 1, url: 'https://example.org/?utm=a'}
    - {status_code: 404, nb_inlinks: 1, url: 'https://example.org/?gclid=a'}
*/
SELECT crawl_id, project_id, url, 'contains tracking parameters' AS why
FROM mart.pages
WHERE status_code = 200
  AND nb_inlinks > 0
  AND (
    strpos(url, 'utm_source=') > 0
    OR strpos(url, 'utm_medium=') > 0
    OR strpos(url, 'utm_campaign=') > 0
    OR strpos(url, 'gclid=') > 0
    OR strpos(url, 'fbclid=') > 0
  )
