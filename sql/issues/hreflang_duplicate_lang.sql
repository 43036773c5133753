/*
title: Hreflang with two URLs for one language
severity: medium
category: hreflang
definition: The page declares several URLs for the same hreflang value (hreflang_errors).
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Search engines cannot tell which of the URLs to show.
fix: Keep one URL per language and region
owner: template
related: duplicate_lang
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [duplicate_lang]}, {hreflang_errors: [a, duplicate_lang, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'several URLs for one hreflang value' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,duplicate_lang,%'
