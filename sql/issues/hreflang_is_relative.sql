/*
title: Relative hreflang
severity: low
category: hreflang
definition: hreflang_errors contains relative_url.
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Google asks for whole URLs, with their scheme; a relative one may be ignored.
fix: Write each language version as a full URL
mended_by: template
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [relative_url]}, {hreflang_errors: [a, relative_url, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'hreflang: relative_url' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,relative_url,%'
