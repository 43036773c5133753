/*
title: HTTPS without HTTP/2
severity: low
category: performance
definition: The URL begins with https:// and returns 200, but the server does not support HTTP/2 (offers_http2 is false).
source: https://developer.chrome.com/docs/lighthouse/best-practices/uses-http2
why_it_matters: Browsers load only a few of the page's resources at a time.
fix: Enable HTTP/2 on the server or the CDN
owner: server
evidence: [status_code, offers_http2]
cases:
  has: [{status_code: 200, url: 'https://example.org/a', offers_http2: false}]
  has_not:
    - {status_code: 200, url: 'https://example.org/a', offers_http2: true}
    - {status_code: 200, url: 'https://example.org/a', offers_http2: null}
    - {status_code: 200, url: 'http://example.org/a', offers_http2: false}
    - {status_code: 404, url: 'https://example.org/a', offers_http2: false}
*/
SELECT crawl_id, project_id, url, 'its host offers no HTTP/2' AS why
FROM mart.pages
WHERE status_code = 200 AND starts_with(url, 'https://') AND NOT offers_http2
