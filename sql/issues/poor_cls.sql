/*
title: Poor cumulative layout shift
severity: medium
category: performance
definition: cwv_cls is above $score (Google takes 0.25).
source: https://web.dev/articles/cls
why_it_matters: People wait or lose their place, and leave.
fix: See what the page loads first, and what blocks or moves it
mended_by: template
evidence: [cwv_cls]
thresholds: {score: {default: 0.25, unit: score}}
cases:
  has: [{cwv_cls: 0.26}, {cwv_cls: 0.26449}]
  has_not: [{cwv_cls: 0.25}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_cls AS DECIMAL(38, 9)), 3) AS DECIMAL(18, 3)) AS VARCHAR) AS why
FROM mart.pages
WHERE cwv_cls > $score
