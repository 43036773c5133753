/*
title: Two versions for one language
severity: medium
category: hreflang
definition: hreflang_errors contains duplicate_lang.
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: Search engines can not tell which of them to show.
fix: Declare one URL for each language and region
mended_by: template
evidence: [hreflang_errors]
cases:
  has: [{hreflang_errors: [duplicate_lang]}, {hreflang_errors: [a, duplicate_lang, z]}]
  has_not: [{hreflang_errors: [other]}, {hreflang_errors: []}]
*/
SELECT pages.crawl_id, pages.project_id, pages.url, 'hreflang: duplicate_lang' AS why, min(same.href) AS related_url
FROM mart.pages AS pages
LEFT JOIN mart.page_hreflangs AS versions ON versions.crawl_id = pages.crawl_id AND versions.url = pages.url
LEFT JOIN mart.page_hreflangs AS same
  ON same.crawl_id = versions.crawl_id
  AND same.url = versions.url
  AND same.lang = versions.lang
  AND same.href <> versions.href
  AND same.href <> pages.url
WHERE ',' || array_to_string(pages.hreflang_errors, ',') || ',' LIKE '%,duplicate_lang,%'
GROUP BY pages.crawl_id, pages.project_id, pages.url
