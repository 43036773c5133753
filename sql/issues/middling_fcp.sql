/*
title: First contentful paint needs improvement
severity: low
category: performance
definition: The first contentful paint (cwv_fcp) is above $milliseconds ms and at most $most ms (Google uses 1,800 ms and 3,000 ms).
source: https://web.dev/articles/fcp
why_it_matters: Users wait longer than they expect before they see anything.
fix: Make the server respond faster, and defer scripts and styles that block rendering
owner: template
evidence: [cwv_fcp]
thresholds: {milliseconds: {default: 1800, unit: ms}, most: {default: 3000, unit: ms}}
cases:
  has: [{cwv_fcp: 1801}, {cwv_fcp: 3000}]
  has_not: [{cwv_fcp: 1800}, {cwv_fcp: 3001}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_fcp AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' ms' AS why
FROM mart.pages
WHERE cwv_fcp > $milliseconds AND cwv_fcp <= $most
