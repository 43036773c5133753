/*
title: Capital letters in the URL
severity: low
category: urls
definition: The page returns 200 and is not a file (is_resource), and its path contains capital letters. Paths that contain % are excluded, because percent-encodings use capital letters.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search engines treat URLs that differ only in case as different pages, but people type URLs in lowercase.
fix: Use lowercase letters in URLs
owner: content
evidence: [urlpath]
cases:
  has: [{status_code: 200, urlpath: /About}]
  has_not:
    - {status_code: 200, urlpath: /about}
    - {status_code: 200, urlpath: /caf%C3%A9}
    - {status_code: 404, urlpath: /About}
    - {status_code: 200, is_resource: true, urlpath: /About}
*/
SELECT crawl_id, project_id, url, 'path ' || urlpath AS why
FROM mart.pages
WHERE status_code = 200 AND NOT coalesce(is_resource, false) AND strpos(urlpath, '%') = 0 AND urlpath <> lower(urlpath)
