/*
title: Poor largest contentful paint
severity: medium
category: performance
definition: cwv_lcp is above $milliseconds ms (Google takes 4,000 ms).
source: https://web.dev/articles/lcp
why_it_matters: People wait or lose their place, and leave.
fix: See what the page loads first, and what blocks or moves it
mended_by: template
evidence: [cwv_lcp]
thresholds: {milliseconds: {default: 4000, unit: ms}}
cases:
  has: [{cwv_lcp: 4001}]
  has_not: [{cwv_lcp: 4000}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_lcp AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' ms' AS why
FROM mart.pages
WHERE cwv_lcp > $milliseconds
