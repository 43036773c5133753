/*
title: Double slash in the URL
severity: low
category: urls
definition: The page returns 200 and is not a file (is_resource), and its path contains //.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: The page usually has a second URL, the one with a single slash.
fix: Fix the links, and redirect the URL to its single-slash form
owner: content
evidence: [urlpath]
cases:
  has: [{status_code: 200, urlpath: /a//b}, {status_code: 200, urlpath: //b}]
  has_not:
    - {status_code: 200, urlpath: /a/b}
    - {status_code: 404, urlpath: /a//b}
    - {status_code: 200, is_resource: true, urlpath: /a//b}
*/
SELECT crawl_id, project_id, url, 'path ' || urlpath AS why
FROM mart.pages
WHERE status_code = 200 AND NOT coalesce(is_resource, false) AND strpos(urlpath, '//') > 0
