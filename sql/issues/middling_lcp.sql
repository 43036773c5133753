/*
title: Middling largest contentful paint
severity: low
category: performance
definition: >-
  cwv_lcp is above $milliseconds ms, and at most $most ms (Google takes 2,500 ms and 4,000 ms).
source: https://web.dev/articles/lcp
why_it_matters: The page is slower than people expect.
fix: See what the page loads first, and what blocks or moves it
mended_by: template
evidence: [cwv_lcp]
thresholds: {milliseconds: {default: 2500, unit: ms}, most: {default: 4000, unit: ms}}
cases:
  has: [{cwv_lcp: 2501}, {cwv_lcp: 4000}]
  has_not: [{cwv_lcp: 2500}, {cwv_lcp: 4001}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_lcp AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' ms' AS why
FROM mart.pages
WHERE cwv_lcp > $milliseconds AND cwv_lcp <= $most
