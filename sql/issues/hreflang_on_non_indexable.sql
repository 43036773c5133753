/*
title: Hreflang on a non-indexable page
severity: medium
category: hreflang
definition: The page declares language versions, but has noindex or a canonical to another page.
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Search engines ignore hreflang on a page that they do not index.
fix: Remove the hreflang links, or make the page indexable
owner: template
evidence: [hreflang_hrefs, non_indexable_reason]
cases:
  has: [{hreflang_hrefs: [a], non_indexable_reason: noindex}, {hreflang_hrefs: [a], non_indexable_reason: canonicalised}]
  has_not:
    - {hreflang_hrefs: [], non_indexable_reason: noindex}
    - {hreflang_hrefs: [a], non_indexable_reason: redirect}
*/
SELECT
  crawl_id,
  project_id,
  url,
  'not indexable: ' || non_indexable_reason AS why,
  CASE WHEN non_indexable_reason = 'canonicalised' THEN canonical_url END AS related_url
FROM mart.pages
WHERE array_length(hreflang_hrefs) > 0 AND non_indexable_reason IN ('noindex', 'canonicalised')
