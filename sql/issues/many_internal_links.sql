/*
title: Many internal links
severity: low
category: links
definition: The page returns 200 and contains more than $links internal links (internal_outlinks).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Each link passes little authority, and users struggle to find the right link.
fix: Split the page, or link to overview pages
owner: template
evidence: [status_code, internal_outlinks]
thresholds: {links: {default: 1000, unit: links}}
cases:
  has: [{status_code: 200, internal_outlinks: 1001}]
  has_not: [{status_code: 200, internal_outlinks: 1000}, {status_code: 404, internal_outlinks: 1001}]
*/
SELECT crawl_id, project_id, url, CAST(internal_outlinks AS VARCHAR) || ' internal links' AS why
FROM mart.pages
WHERE status_code = 200 AND internal_outlinks > $links
