/*
title: Middling total blocking time
severity: low
category: performance
definition: >-
  cwv_tbt is above $milliseconds ms, and at most $most ms (Google takes 200 ms and 600 ms).
source: https://web.dev/articles/tbt
why_it_matters: The page is slower than people expect.
fix: See what the page loads first, and what blocks or moves it
mended_by: template
evidence: [cwv_tbt]
thresholds: {milliseconds: {default: 200, unit: ms}, most: {default: 600, unit: ms}}
cases:
  has: [{cwv_tbt: 201}, {cwv_tbt: 600}]
  has_not: [{cwv_tbt: 200}, {cwv_tbt: 601}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(cwv_tbt AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' ms' AS why
FROM mart.pages
WHERE cwv_tbt > $milliseconds AND cwv_tbt <= $most
