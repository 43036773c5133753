/*
title: Redirect by script
severity: medium
category: rendering
definition: The page returns 200, and a script or a meta refresh sends the browser to another URL.
source: https://developers.google.com/search/docs/crawling-indexing/301-redirects
why_it_matters: Search engines follow this redirect only after rendering, and may keep the original page in their index.
fix: Use a permanent redirect (301 or 308) instead
owner: template
evidence: [status_code, script_redirect]
cases:
  has: [{status_code: 200, script_redirect: "https://example.org/b"}]
  has_not: [{status_code: 200}, {status_code: 404, script_redirect: "https://example.org/b"}, {url: 'https://example.org/b', status_code: 200, script_redirect: 'https://example.org/b'}]
*/
SELECT crawl_id, project_id, url, 'to ' || script_redirect AS why, script_redirect AS related_url
FROM mart.pages
WHERE status_code = 200 AND script_redirect <> url
