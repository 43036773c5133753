/*
title: Characters outside of ASCII in the URL
severity: low
category: urls
definition: >-
  The page answers 200, is no file (is_resource), and its URL contains a character outside of ASCII, as it is or percent-encoded (%80 to %FF).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Such addresses become rows of % and digits where people copy them, and some tools break them.
fix: Use letters of ASCII in new addresses; old ones are not worth a redirect
mended_by: content
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
SELECT crawl_id, project_id, url, 'contains characters outside of ASCII' AS why
FROM mart.pages
WHERE status_code = 200 AND NOT coalesce(is_resource, false)
  AND (
    regexp_replace(url, '^[ -~]*$', '') <> ''
    OR strpos(url, '%') > 0 AND regexp_replace(url, '^.*%[89A-Fa-f][0-9A-Fa-f].*$', '') = ''
  )
