/*
title: Poor largest contentful paint
severity: medium
category: performance
definition: The largest contentful paint (cwv_lcp) is above $milliseconds ms (Google uses 4,000 ms).
source: https://web.dev/articles/lcp
why_it_matters: Users wait too long for the main content and leave.
fix: Load the largest image or text block first, and make it smaller
owner: template
evidence: [cwv_lcp]
thresholds: {milliseconds: {default: 4000, unit: ms}}
cases:
  has: [{cwv_lcp: 4001}]
  has_not: [{cwv_lcp: 4000}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_lcp AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' ms' AS why
FROM mart.pages
WHERE cwv_lcp > $milliseconds
