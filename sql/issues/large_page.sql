/*
title: Large page
severity: medium
category: performance
definition: The page answers 200, is HTML (no is_resource; content_kind is html or unknown), and has more than $kilobytes KB.
source: https://sitebulb.com/hints/performance/
why_it_matters: The page takes long to load before anything is shown.
fix: >-
  Make the HTML smaller: less inline code and data
mended_by: template
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
