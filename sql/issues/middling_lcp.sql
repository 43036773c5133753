/*
title: Largest contentful paint needs improvement
severity: low
category: performance
definition: The largest contentful paint (cwv_lcp) is above $milliseconds ms and at most $most ms (Google uses 2,500 ms and 4,000 ms).
source: https://web.dev/articles/lcp
why_it_matters: Users wait longer than they expect for the main content.
fix: Load the largest image or text block first, and make it smaller
owner: template
evidence: [cwv_lcp]
thresholds: {milliseconds: {default: 2500, unit: ms}, most: {default: 4000, unit: ms}}
cases:
  has: [{cwv_lcp: 2501}, {cwv_lcp: 4000}]
  has_not: [{cwv_lcp: 2500}, {cwv_lcp: 4001}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_lcp AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' ms' AS why
FROM mart.pages
WHERE cwv_lcp > $milliseconds AND cwv_lcp <= $most
