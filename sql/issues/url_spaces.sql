/*
title: Spaces in the URL
severity: low
category: urls
definition: The page returns 200 and is not a file (is_resource), and its URL contains a space or %20.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: URLs with spaces break when people copy them.
fix: Separate words with hyphens, as in /green-tea
owner: content
evidence: [status_code]
cases:
  has: [{status_code: 200, url: 'https://example.org/a%20b'}, {status_code: 200, url: 'https://example.org/a b'}]
  has_not:
    - {status_code: 200, url: 'https://example.org/a-b'}
    - {status_code: 404, url: 'https://example.org/a%20b'}
    - {status_code: 200, is_resource: true, url: 'https://example.org/a%20b'}
*/
SELECT crawl_id, project_id, url, 'contains a space' AS why
FROM mart.pages
WHERE status_code = 200 AND NOT coalesce(is_resource, false) AND (strpos(url, ' ') > 0 OR strpos(url, '%20') > 0)
