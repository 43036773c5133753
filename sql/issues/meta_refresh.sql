/*
title: Redirect by meta refresh
severity: medium
category: redirects
definition: The page returns 200, and a meta refresh sends the browser to another URL.
source: https://developers.google.com/search/docs/crawling-indexing/301-redirects
why_it_matters: Search engines may not treat a meta refresh as a redirect, and users cannot go back.
fix: Replace the meta refresh with a permanent redirect (301 or 308)
owner: template
evidence: [status_code, meta_refresh_location]
cases:
  has: [{status_code: 200, meta_refresh_location: 'https://example.org/b'}]
  has_not: [{status_code: 200}, {status_code: 404, meta_refresh_location: 'https://example.org/b'}, {url: 'https://example.org/b', status_code: 200, meta_refresh_location: 'https://example.org/b'}]
*/
SELECT crawl_id, project_id, url, 'to ' || meta_refresh_location AS why, meta_refresh_location AS related_url
FROM mart.pages
WHERE status_code = 200 AND meta_refresh_location <> url
