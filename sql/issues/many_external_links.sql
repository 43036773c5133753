/*
title: Very many external links
severity: low
category: links
definition: The page answers 200, and external_outlinks is above $links.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: A page that mostly leads away may look like a list of links, or carry links of spammers.
fix: Keep the links that help readers
mended_by: content
evidence: [status_code, external_outlinks]
thresholds: {links: {default: 100, unit: links}}
cases:
  has: [{status_code: 200, external_outlinks: 101}]
  has_not: [{status_code: 200, external_outlinks: 100}, {status_code: 404, external_outlinks: 101}]
*/
SELECT crawl_id, project_id, url, CAST(external_outlinks AS VARCHAR) || ' external links' AS why
FROM mart.pages
WHERE status_code = 200 AND external_outlinks > $links
