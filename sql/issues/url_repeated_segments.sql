/*
title: Repeated segments in the path
severity: medium
category: urls
definition: The page returns 200 and is not a file (is_resource), and at least $repeats of its path segments repeat an earlier segment. Segments are the parts between slashes.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Often, a relative link adds a path level each time it is followed, so one page has an unlimited number of URLs.
fix: Fix the relative link, and return 404 for such URLs
owner: template
evidence: [urlpath]
thresholds: {repeats: {default: 2, unit: parts}}
cases:
  has:
    - {status_code: 200, urlpath: /a/b/a/b}
    - {status_code: 200, urlpath: /a/a/a/}
  has_not:
    - {status_code: 200, urlpath: /2026/01/01/}
    - {status_code: 200, urlpath: /a/b/c}
    - {status_code: 200, urlpath: /a//b/}
    - {status_code: 200, urlpath: /}
    - {status_code: 404, urlpath: /a/b/a/b}
    - {status_code: 200, is_resource: true, urlpath: /a/b/a/b}
*/
SELECT crawl_id, project_id, url, 'path ' || urlpath AS why
FROM mart.pages
WHERE status_code = 200 AND NOT coalesce(is_resource, false)
  AND array_length(split(substr(urlpath, 2), '/')) - array_length(array_distinct(split(substr(urlpath, 2), '/'))) >= $repeats
