/*
title: Larger than Google reads
severity: high
category: performance
definition: The page answers 200, and its HTML has more than 15,360 KB (15 MB).
source: https://developers.google.com/search/docs/crawling-indexing/googlebot
why_it_matters: Google reads the first 15 MB of a page only.
fix: Part the page
evidence: [status_code, weight]
cases:
  has: [{status_code: 200, weight: 15361}]
  has_not: [{status_code: 200, weight: 15360}, {status_code: 404, weight: 15361}]
*/
SELECT crawl_id, project_id, url, CAST(weight AS VARCHAR) || ' KB' AS why
FROM mart.pages
WHERE status_code = 200 AND weight > 15360
