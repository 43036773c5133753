/*
title: Two versions for one language
severity: medium
category: hreflang
definition: hreflang_errors contains duplicate_lang.
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Search engines can not tell which of them to show.
fix: Declare one URL for each language and region
mended_by: template
related: duplicate_lang
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [duplicate_lang]}, {hreflang_errors: [a, duplicate_lang, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'hreflang: duplicate_lang' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,duplicate_lang,%'
