/*
title: Hreflang with a relative URL
severity: low
category: hreflang
definition: One of the page's hreflang URLs is relative (hreflang_errors).
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Google requires absolute URLs that include the scheme, and may ignore a relative URL.
fix: Write each language version as an absolute URL, as in <link rel="alternate" hreflang="de" href="https://example.com/de/">
owner: template
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [relative_url]}, {hreflang_errors: [a, relative_url, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'relative URL in hreflang' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,relative_url,%'
