/*
title: Underscores in the URL
severity: low
category: urls
definition: The page returns 200 and is not a file (is_resource), and its path contains an underscore.
source: https://developers.google.com/search/docs/crawling-indexing/url-structure
why_it_matters: Search engines read words joined by underscores as one word.
fix: Separate words with hyphens in new URLs, as in /green-tea; do not redirect old ones for this reason alone
owner: content
evidence: [urlpath]
cases:
  has: [{status_code: 200, urlpath: /a_b}]
  has_not:
    - {status_code: 200, urlpath: /a-b}
    - {status_code: 404, urlpath: /a_b}
    - {status_code: 200, is_resource: true, urlpath: /a_b}
*/
SELECT crawl_id, project_id, url, 'path ' || urlpath AS why
FROM mart.pages
WHERE status_code = 200 AND NOT coalesce(is_resource, false) AND strpos(urlpath, '_') > 0
