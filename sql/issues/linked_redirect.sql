/*
title: Link to a redirect
severity: low
category: redirects
definition: The first reason why the page is not indexable is redirect, and links of the site lead to it.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: People wait for a hop, and the link says less about the page that it means.
fix: Let the links lead to the final URL
mended_by: content
related: linking_page
evidence: [status_code, nb_inlinks]
cases:
  has: [{status_code: 301, non_indexable_reason: redirect, nb_inlinks: 1}]
  has_not: [{status_code: 301, non_indexable_reason: redirect, nb_inlinks: 0}, {status_code: 200, nb_inlinks: 1}]
*/
SELECT crawl_id, project_id, url, 'HTTP status ' || CAST(status_code AS VARCHAR) AS why
FROM mart.pages
WHERE non_indexable_reason = 'redirect' AND nb_inlinks > 0
