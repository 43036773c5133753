/*
title: Not indexable for the service
severity: low
category: indexability
definition: >-
  The service says that the page is not indexable, and no known field says why (non_indexable_reason is service).
source: https://sitebulb.com/hints/indexability/
why_it_matters: The page may not be found by search.
fix: >-
  Look at the page: a header or a rule of the crawl may speak against it
mended_by: template
evidence: [non_indexable_reason]
cases:
  has: [{non_indexable_reason: service}]
  has_not: [{non_indexable_reason: noindex}]
*/
SELECT crawl_id, project_id, url, 'the service says so, its reason is not known' AS why
FROM mart.pages
WHERE non_indexable_reason = 'service'
