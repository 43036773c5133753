/*
title: Poor first contentful paint
severity: medium
category: performance
definition: cwv_fcp is above $milliseconds ms (Google takes 3,000 ms).
source: https://web.dev/articles/fcp
why_it_matters: People wait or lose their place, and leave.
fix: See what the page loads first, and what blocks or moves it
mended_by: template
evidence: [cwv_fcp]
thresholds: {milliseconds: {default: 3000, unit: ms}}
cases:
  has: [{cwv_fcp: 3001}]
  has_not: [{cwv_fcp: 3000}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_fcp AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' ms' AS why
FROM mart.pages
WHERE cwv_fcp > $milliseconds
