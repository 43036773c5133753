/*
title: Non-indexable according to the service
severity: low
category: indexability
definition: The service reports the page as not indexable, and no known field explains why.
source: https://sitebulb.com/hints/indexability/
why_it_matters: Search engines may not show the page.
fix: Check the page for a header or a crawl rule that prevents indexing
owner: template
evidence: [non_indexable_reason]
cases:
  has: [{non_indexable_reason: service}]
  has_not: [{non_indexable_reason: noindex}]
*/
SELECT crawl_id, project_id, url, 'the service gives no reason' AS why
FROM mart.pages
WHERE non_indexable_reason = 'service'
