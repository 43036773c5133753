/*
title: Link to a redirect
severity: low
category: redirects
definition: The page is not indexable because it redirects (non_indexable_reason is redirect). Internal links lead to the page.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Users wait for an extra request, and search engines reach the final page later.
fix: Change the links to the final URL
owner: content
related: linking_page
evidence: [status_code, nb_inlinks]
cases:
  has: [{status_code: 301, non_indexable_reason: redirect, nb_inlinks: 1}]
  has_not: [{status_code: 301, non_indexable_reason: redirect, nb_inlinks: 0}, {status_code: 200, nb_inlinks: 1}, {status_code: 304, non_indexable_reason: other_status, nb_inlinks: 1}]
*/
SELECT crawl_id, project_id, url, 'HTTP status ' || CAST(status_code AS VARCHAR) AS why
FROM mart.pages
WHERE non_indexable_reason = 'redirect' AND nb_inlinks > 0
