/*
title: Many parameters in the URL
severity: low
category: urls
definition: The page returns 200, and its URL has more than $parameters parameters.
source: https://developers.google.com/search/docs/crawling-indexing/url-structure
why_it_matters: Combinations of parameters create countless URLs for the same pages. Search engines waste requests on these URLs.
fix: Remove parameters that do not change the content, or stop linking to URLs with so many parameters
owner: template
evidence: [url_has_params]
thresholds: {parameters: {default: 3, unit: parameters}}
cases:
  has: [{status_code: 200, url_has_params: true, url: 'https://example.org/?a=1&b=2&c=3&d=4'}]
  has_not:
    - {status_code: 200, url_has_params: true, url: 'https://example.org/?a=1&b=2&c=3'}
    - {status_code: 404, url_has_params: true, url: 'https://example.org/?a=1&b=2&c=3&d=4'}
    - {status_code: 200, url_has_params: false, url: 'https://example.org/a&b&c&d'}
*/
SELECT
  crawl_id, project_id, url, CAST(length(url) - length(replace(url, '&', '')) + 1 AS VARCHAR) || ' parameters' AS why
FROM mart.pages
WHERE status_code = 200 AND url_has_params AND length(url) - length(replace(url, '&', '')) + 1 > $parameters
