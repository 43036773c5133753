/*
title: Missing x-default
severity: low
category: hreflang
definition: The page is indexable and declares language versions, but no x-default.
source: https://developers.google.com/search/docs/specialty/international/localized-versions
why_it_matters: If no language version matches the user's language, search results may show any version.
fix: Add a default, such as <link rel="alternate" hreflang="x-default" href="https://example.com/">
owner: template
evidence: [hreflang_langs]
cases:
  has: [{is_indexable: true, hreflang_langs: [de, en]}, {is_indexable: true, hreflang_langs: [de]}]
  has_not:
    - {is_indexable: true, hreflang_langs: [de, X-Default]}
    - {is_indexable: true, hreflang_langs: []}
    - {is_indexable: false, hreflang_langs: [de, en]}
    - {is_indexable: true, hreflang_langs: [x-default, de]}
*/
SELECT crawl_id, project_id, url, 'no x-default' AS why
FROM mart.pages
WHERE is_indexable
  AND array_length(hreflang_langs) > 0
  AND ',' || lower(array_to_string(hreflang_langs, ',')) || ',' NOT LIKE '%,x-default,%'
