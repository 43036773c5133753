/*
title: Repeated parts of the path
severity: medium
category: urls
definition: >-
  The page answers 200, is no file (is_resource), and at least $repeats parts of its path stand further left in it too. A part is what slashes
  divide behind the first one.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: >-
  Such paths mostly come from a relative link that leads one level deeper each time: addresses without end, of the same
  page.
fix: Mend the relative link, and let such addresses answer 404
mended_by: template
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
