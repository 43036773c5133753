/*
title: Poor total blocking time
severity: medium
category: performance
definition: The total blocking time (cwv_tbt) is above $milliseconds ms (Google uses 600 ms).
source: https://web.dev/articles/tbt
why_it_matters: The page takes too long to respond to clicks, so users leave.
fix: Split or remove long-running JavaScript
owner: template
evidence: [cwv_tbt]
thresholds: {milliseconds: {default: 600, unit: ms}}
cases:
  has: [{cwv_tbt: 601}]
  has_not: [{cwv_tbt: 600}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_tbt AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' ms' AS why
FROM mart.pages
WHERE cwv_tbt > $milliseconds
