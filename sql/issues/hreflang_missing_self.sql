/*
title: Page missing among its own versions
severity: low
category: hreflang
definition: hreflang_errors contains missing_self.
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Each page is to name all versions, itself too; else the set may be ignored.
fix: Let the page declare itself
mended_by: template
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [missing_self]}, {hreflang_errors: [a, missing_self, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'hreflang: missing_self' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,missing_self,%'
