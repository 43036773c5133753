/*
title: Version that can not be indexed
severity: medium
category: hreflang
definition: hreflang_errors contains target_not_indexable.
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: A version that is redirected, broken, noindex or canonicalised is never shown.
fix: Declare the final, indexable URL of the language version; edit robots.txt where it blocks that URL
mended_by: template
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [target_not_indexable]}, {hreflang_errors: [a, target_not_indexable, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT pages.crawl_id, pages.project_id, pages.url, 'hreflang: target_not_indexable' AS why, min(targets.url) AS related_url
FROM mart.pages AS pages
LEFT JOIN mart.page_hreflangs AS versions
  ON versions.crawl_id = pages.crawl_id AND versions.url = pages.url AND versions.href <> pages.url
LEFT JOIN mart.read_targets AS targets
  ON targets.crawl_id = versions.crawl_id AND targets.url = versions.href AND NOT targets.is_indexable
WHERE ',' || array_to_string(pages.hreflang_errors, ',') || ',' LIKE '%,target_not_indexable,%'
GROUP BY pages.crawl_id, pages.project_id, pages.url
