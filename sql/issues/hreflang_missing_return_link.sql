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
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [missing_return_link]}, {hreflang_errors: [a, missing_return_link, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT pages.crawl_id, pages.project_id, pages.url, 'hreflang: missing_return_link' AS why, min(targets.url) AS related_url
FROM mart.pages AS pages
LEFT JOIN mart.page_hreflangs AS versions
  ON versions.crawl_id = pages.crawl_id AND versions.url = pages.url AND versions.href <> pages.url
LEFT JOIN mart.pages AS targets
  ON targets.crawl_id = versions.crawl_id
  AND targets.url = versions.href
  AND targets.status_code BETWEEN 200 AND 299
  AND coalesce(strpos(' ' || array_to_string(targets.hreflang_hrefs, ' ') || ' ', ' ' || versions.url || ' '), 0) = 0
WHERE ',' || array_to_string(pages.hreflang_errors, ',') || ',' LIKE '%,missing_return_link,%'
GROUP BY pages.crawl_id, pages.project_id, pages.url
