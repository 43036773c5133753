/*
title: Several descriptions
severity: low
category: titles_and_headings
definition: >-
  The page is indexable, and num_descriptions is above 1.
source: https://developers.google.com/search/docs/appearance/snippet
why_it_matters: Search engines choose among them; mostly a template and an extension both write one.
fix: Leave one of them
mended_by: template
evidence: [num_descriptions]
cases:
  has: [{is_indexable: true, num_descriptions: 2}]
  has_not: [{is_indexable: true, num_descriptions: 1}, {is_indexable: false, num_descriptions: 2}, {is_indexable: true, num_descriptions: null}]
*/
SELECT crawl_id, project_id, url, CAST(num_descriptions AS VARCHAR) || ' descriptions' AS why
FROM mart.pages
WHERE is_indexable AND num_descriptions > 1
