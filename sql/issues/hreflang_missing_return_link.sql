/*
title: Version without a link back
severity: medium
category: hreflang
definition: hreflang_errors contains missing_return_link.
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Search engines ignore a version that does not name the page in turn.
fix: Let both pages declare each other
mended_by: template
needs: [related]
related: return_link
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [missing_return_link]}, {hreflang_errors: [a, missing_return_link, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT crawl_id, project_id, url, 'hreflang: missing_return_link' AS why
FROM mart.pages
WHERE ',' || array_to_string(hreflang_errors, ',') || ',' LIKE '%,missing_return_link,%'
