/*
title: Capitals in the URL
severity: low
category: urls
definition: >-
  The page answers 200, is no file (is_resource), and its path contains capitals; a path with % is left out, because % is followed by capitals
  in escapes.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Addresses that differ by case are different pages, and people write them in small letters.
fix: Use small letters in addresses
mended_by: content
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
