/*
title: Hreflang to a non-indexable page
severity: medium
category: hreflang
definition: The page declares a language version that is not indexable (hreflang_errors).
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Search engines never show a language version that redirects, is broken, has noindex, or declares another page as its canonical.
fix: Declare the final, indexable URL of the language version, and allow it in robots.txt
owner: template
related: hreflang_target
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [target_not_indexable]}, {hreflang_errors: [a, target_not_indexable, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'hreflang to a non-indexable page' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,target_not_indexable,%'
