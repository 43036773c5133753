/*
title: Many external links
severity: low
category: links
definition: The page returns 200 and contains more than $links external links (external_outlinks).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: A page that consists mostly of external links may look like a link directory. Spammers may also have added the links.
fix: Keep only the links that help users
owner: content
evidence: [status_code, external_outlinks]
thresholds: {links: {default: 100, unit: links}}
cases:
  has: [{status_code: 200, external_outlinks: 101}]
  has_not: [{status_code: 200, external_outlinks: 100}, {status_code: 404, external_outlinks: 101}]
*/
SELECT crawl_id, project_id, url, CAST(external_outlinks AS VARCHAR) || ' external links' AS why
FROM mart.pages
WHERE status_code = 200 AND external_outlinks > $links
