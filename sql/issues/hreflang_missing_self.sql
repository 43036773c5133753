/*
title: Hreflang without self-reference
severity: low
category: hreflang
definition: The page declares language versions, but does not list itself (hreflang_errors).
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Each page must list all language versions, including itself. Otherwise, search engines may ignore the whole set.
fix: Add a self-referencing link, such as <link rel="alternate" hreflang="en" href="https://example.com/">
owner: template
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [missing_self]}, {hreflang_errors: [a, missing_self, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'no hreflang for the page itself' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,missing_self,%'
