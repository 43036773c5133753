/*
title: HTML without compression
severity: low
category: performance
definition: The page returns 200, is larger than $kilobytes KB, and was sent without a Content-Encoding header.
source: https://developer.chrome.com/docs/lighthouse/performance/uses-text-compression
why_it_matters: The page takes longer to load than necessary.
fix: Enable gzip, Brotli or zstd compression for HTML on the server
owner: server
evidence: [status_code, compressed, weight]
thresholds: {kilobytes: {default: 10, unit: KB}}
cases:
  has: [{status_code: 200, compressed: false, weight: 11}]
  has_not: [{status_code: 200, compressed: true, weight: 11}, {status_code: 200, compressed: false, weight: 10}, {status_code: 404, compressed: false, weight: 11}]
*/
SELECT crawl_id, project_id, url, CAST(weight AS VARCHAR) || ' KB without compression' AS why
FROM mart.pages
WHERE status_code = 200 AND NOT compressed AND weight > $kilobytes
