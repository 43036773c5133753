/*
title: Hreflang without return link
severity: medium
category: hreflang
definition: The page declares a language version that does not link back to the page (hreflang_errors).
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Search engines ignore a language version that does not link back.
fix: On the language version, add a link back to this page, such as <link rel="alternate" hreflang="en" href="https://example.com/">
owner: template
needs: [related]
related: return_link
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [missing_return_link]}, {hreflang_errors: [a, missing_return_link, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'no return link' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,missing_return_link,%'
