/*
title: Total blocking time needs improvement
severity: low
category: performance
definition: The total blocking time (cwv_tbt) is above $milliseconds ms and at most $most ms (Google uses 200 ms and 600 ms).
source: https://web.dev/articles/tbt
why_it_matters: The page responds to clicks later than users expect.
fix: Split or remove long-running JavaScript
owner: template
evidence: [cwv_tbt]
thresholds: {milliseconds: {default: 200, unit: ms}, most: {default: 600, unit: ms}}
cases:
  has: [{cwv_tbt: 201}, {cwv_tbt: 600}]
  has_not: [{cwv_tbt: 200}, {cwv_tbt: 601}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_tbt AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' ms' AS why
FROM mart.pages
WHERE cwv_tbt > $milliseconds AND cwv_tbt <= $most
