/*
title: Non-ASCII characters in the URL
severity: low
category: urls
definition: The page returns 200 and is not a file (is_resource), and its URL contains a non-ASCII character, literally or percent-encoded (%80 to %FF).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Copied URLs turn into long percent-encoded strings, and some tools break such URLs.
fix: Use ASCII letters in new URLs; do not redirect old ones for this reason alone
owner: content
evidence: [status_code]
cases:
  has:
    - {status_code: 200, url: 'https://example.org/caf%C3%A9'}
    - {status_code: 200, url: 'https://example.org/caf%e9'}
    - {status_code: 200, url: 'https://example.org/café'}
    - {status_code: 200, url: 'https://example.org/?q=%E8%8C%B6'}
  has_not:
    - {status_code: 200, url: 'https://example.org/a%20b'}
    - {status_code: 200, url: 'https://example.org/100%'}
    - {status_code: 404, url: 'https://example.org/caf%C3%A9'}
    - {status_code: 200, is_resource: true, url: 'https://example.org/caf%C3%A9'}
*/
SELECT crawl_id, project_id, url, 'contains non-ASCII characters' AS why
FROM mart.pages
WHERE status_code = 200 AND NOT coalesce(is_resource, false)
  AND (
    regexp_replace(url, '^[ -~]*$', '') <> ''
    OR strpos(url, '%') > 0 AND regexp_replace(url, '^.*%[89A-Fa-f][0-9A-Fa-f].*$', '') = ''
  )
