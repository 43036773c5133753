/*
title: Hreflang with an invalid language code
severity: medium
category: hreflang
definition: One of the page's hreflang values contains an unknown language or region code (hreflang_errors).
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Search engines ignore a language version with an unknown code.
fix: Use ISO 639-1 for the language and ISO 3166-1 for the region, as in hreflang="de-AT"
owner: template
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [invalid_lang]}, {hreflang_errors: [a, invalid_lang, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'invalid language code in hreflang' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,invalid_lang,%'
