/*
title: Version that can not be indexed
severity: medium
category: hreflang
definition: hreflang_errors contains target_not_indexable.
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: A version that is redirected, broken, noindex or canonicalised is never shown.
fix: Declare the final, indexable URL of the language version; edit robots.txt where it blocks that URL
mended_by: template
related: hreflang_target
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [target_not_indexable]}, {hreflang_errors: [a, target_not_indexable, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'hreflang: target_not_indexable' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,target_not_indexable,%'
