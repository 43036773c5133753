/*
title: Several titles
severity: low
category: titles_and_headings
definition: >-
  The page is indexable, and num_titles is above 1.
source: https://developers.google.com/search/docs/appearance/title-link
why_it_matters: Search engines choose among them; mostly a template and an extension both write one.
fix: Leave one of them
mended_by: template
evidence: [num_titles]
cases:
  has: [{is_indexable: true, num_titles: 2}]
  has_not: [{is_indexable: true, num_titles: 1}, {is_indexable: false, num_titles: 2}, {is_indexable: true, num_titles: null}]
*/
SELECT crawl_id, project_id, url, CAST(num_titles AS VARCHAR) || ' titles' AS why
FROM mart.pages
WHERE is_indexable AND num_titles > 1
