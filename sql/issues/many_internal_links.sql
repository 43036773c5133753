/*
title: Very many internal links
severity: low
category: links
definition: The page answers 200, and internal_outlinks is above $links.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Each link says little, and people find none of them.
fix: Part the page, or link to overviews
mended_by: template
evidence: [status_code, internal_outlinks]
thresholds: {links: {default: 1000, unit: links}}
cases:
  has: [{status_code: 200, internal_outlinks: 1001}]
  has_not: [{status_code: 200, internal_outlinks: 1000}, {status_code: 404, internal_outlinks: 1001}]
*/
SELECT crawl_id, project_id, url, CAST(internal_outlinks AS VARCHAR) || ' internal links' AS why
FROM mart.pages
WHERE status_code = 200 AND internal_outlinks > $links
