/*
title: Poor cumulative layout shift
severity: medium
category: performance
definition: The cumulative layout shift (cwv_cls) is above $score (Google uses 0.25).
source: https://web.dev/articles/cls
why_it_matters: Content shifts so much that users lose their place and leave.
fix: Reserve space for images, ads and content that loads late, for example by setting width and height
owner: template
evidence: [cwv_cls]
thresholds: {score: {default: 0.25, unit: score}}
cases:
  has: [{cwv_cls: 0.26}, {cwv_cls: 0.26449}]
  has_not: [{cwv_cls: 0.25}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_cls AS DECIMAL(38, 9)), 3) AS DECIMAL(18, 3)) AS VARCHAR) AS why
FROM mart.pages
WHERE cwv_cls > $score
