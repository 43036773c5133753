/*
title: Poor first contentful paint
severity: medium
category: performance
definition: The first contentful paint (cwv_fcp) is above $milliseconds ms (Google uses 3,000 ms).
source: https://web.dev/articles/fcp
why_it_matters: Users see a blank page for too long and leave.
fix: Make the server respond faster, and defer scripts and styles that block rendering
owner: template
evidence: [cwv_fcp]
thresholds: {milliseconds: {default: 3000, unit: ms}}
cases:
  has: [{cwv_fcp: 3001}]
  has_not: [{cwv_fcp: 3000}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_fcp AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' ms' AS why
FROM mart.pages
WHERE cwv_fcp > $milliseconds
