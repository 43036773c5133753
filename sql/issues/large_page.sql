/*
title: Large page
severity: medium
category: performance
definition: The page returns 200, is HTML (is_resource is not true, and content_kind is html or unknown), and is larger than $kilobytes KB.
source: https://sitebulb.com/hints/performance/
why_it_matters: Users wait a long time before the browser shows anything.
fix: Make the HTML smaller, for example by moving inline code and data to separate files
owner: template
evidence: [status_code, weight]
thresholds: {kilobytes: {default: 1000, unit: KB}}
cases:
  has: [{status_code: 200, weight: 1001}]
  has_not:
    - {status_code: 200, weight: 1000}
    - {status_code: 404, weight: 1001}
    - {status_code: 200, weight: 1001, content_kind: pdf}
    - {status_code: 200, weight: 1001, is_resource: true}
*/
SELECT crawl_id, project_id, url, CAST(weight AS VARCHAR) || ' KB' AS why
FROM mart.pages
WHERE status_code = 200
  AND NOT coalesce(is_resource, false)
  AND coalesce(content_kind, 'html') = 'html'
  AND weight > $kilobytes
