/*
title: Cumulative layout shift needs improvement
severity: low
category: performance
definition: The cumulative layout shift (cwv_cls) is above $score and at most $most (Google uses 0.1 and 0.25).
source: https://web.dev/articles/cls
why_it_matters: Content shifts while users read or click.
fix: Reserve space for images, ads and content that loads late, for example by setting width and height
owner: template
evidence: [cwv_cls]
thresholds: {score: {default: 0.1, unit: score}, most: {default: 0.25, unit: score}}
cases:
  has: [{cwv_cls: 0.11}, {cwv_cls: 0.11449}, {cwv_cls: 0.25}]
  has_not: [{cwv_cls: 0.1}, {cwv_cls: 0.26}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_cls AS DECIMAL(38, 9)), 3) AS DECIMAL(18, 3)) AS VARCHAR) AS why
FROM mart.pages
WHERE cwv_cls > $score AND cwv_cls <= $most
