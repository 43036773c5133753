/*
title: Session in the URL
severity: medium
category: urls
definition: The page answers 200, and its URL contains sessionid=, sessid=, or the parameter sid, in any case.
source: https://developers.google.com/search/docs/crawling-indexing/url-structure
why_it_matters: Each visit makes addresses of its own for the same pages.
fix: Keep sessions in cookies
mended_by: template
evidence: [status_code]
cases:
  has:
    - {status_code: 200, url: 'https://example.org/a;JSESSIONID=1'}
    - {status_code: 200, url: 'https://example.org/?PHPSESSID=1'}
    - {status_code: 200, url: 'https://example.org/?sid=1'}
    - {status_code: 200, url: 'https://example.org/?a=1&SID=1'}
  has_not: [{status_code: 200, url: 'https://example.org/?aside=1&resid=2'}, {status_code: 200, url: 'https://example.org/session'}, {status_code: 404, url: 'https://example.org/?PHPSESSID=1'}]
*/
SELECT crawl_id, project_id, url, 'contains a session' AS why
FROM mart.pages
WHERE status_code = 200 AND (
  strpos(lower(url), 'sessionid=') > 0 OR strpos(lower(url), 'sessid=') > 0
  OR strpos(lower(url), '?sid=') > 0 OR strpos(lower(url), '&sid=') > 0
)
