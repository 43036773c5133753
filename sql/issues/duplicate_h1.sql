/*
title: Duplicate H1
severity: low
category: titles_and_headings
definition: >-
  The page is indexable, and shares its H1 with another page without a canonical or hreflang that settles it
  (has_duplicate_h1_issue).
source: https://developers.google.com/search/docs/appearance/title-link
why_it_matters: Neither people nor search engines can tell such pages apart by it.
fix: Give the page an H1 of its own
mended_by: content
evidence: [has_duplicate_h1_issue]
cases:
  has: [{is_indexable: true, has_duplicate_h1_issue: true}]
  has_not: [{is_indexable: true, has_duplicate_h1_issue: false}, {is_indexable: false, has_duplicate_h1_issue: true}]
*/
SELECT crawl_id, project_id, url, 'shares its H1 with another page' AS why
FROM mart.pages
WHERE is_indexable AND has_duplicate_h1_issue
