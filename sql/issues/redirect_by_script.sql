/*
title: Redirect by script
severity: medium
category: rendering
definition: The page answers 200, and scripts or a meta refresh lead a browser to another URL.
source: https://developers.google.com/search/docs/crawling-indexing/301-redirects
why_it_matters: Search engines follow such a redirect only after rendering, and may keep the page itself.
fix: Answer with a permanent redirect, 301 or 308
mended_by: template
evidence: [status_code, script_redirect]
cases:
  has: [{status_code: 200, script_redirect: "https://example.org/b"}]
  has_not: [{status_code: 200}, {status_code: 404, script_redirect: "https://example.org/b"}, {url: 'https://example.org/b', status_code: 200, script_redirect: 'https://example.org/b'}]
*/
SELECT crawl_id, project_id, url, 'to ' || script_redirect AS why, script_redirect AS related_url
FROM mart.pages
WHERE status_code = 200 AND script_redirect <> url
