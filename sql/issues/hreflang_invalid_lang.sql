/*
title: Invalid language in hreflang
severity: medium
category: hreflang
definition: hreflang_errors contains invalid_lang.
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Search engines ignore a version whose language or region they do not know.
fix: Write codes of ISO 639-1 and ISO 3166-1, as in de-AT
mended_by: template
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [invalid_lang]}, {hreflang_errors: [a, invalid_lang, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'hreflang: invalid_lang' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,invalid_lang,%'
