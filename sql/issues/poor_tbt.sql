/*
title: Poor total blocking time
severity: medium
category: performance
definition: cwv_tbt is above $milliseconds ms (Google takes 600 ms).
source: https://web.dev/articles/tbt
why_it_matters: People wait or lose their place, and leave.
fix: See what the page loads first, and what blocks or moves it
mended_by: template
evidence: [cwv_tbt]
thresholds: {milliseconds: {default: 600, unit: ms}}
cases:
  has: [{cwv_tbt: 601}]
  has_not: [{cwv_tbt: 600}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_tbt AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' ms' AS why
FROM mart.pages
WHERE cwv_tbt > $milliseconds
