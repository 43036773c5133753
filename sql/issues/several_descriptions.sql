/*
title: Several descriptions
severity: low
category: titles_and_headings
definition: The page is indexable and has more than one description (num_descriptions).
source: https://developers.google.com/search/docs/appearance/snippet
why_it_matters: Search engines choose one of the descriptions. Often, a template and a plugin each add a description.
fix: Keep one <meta name="description"> in the head
owner: template
evidence: [num_descriptions]
cases:
  has: [{is_indexable: true, num_descriptions: 2}]
  has_not: [{is_indexable: true, num_descriptions: 1}, {is_indexable: false, num_descriptions: 2}, {is_indexable: true, num_descriptions: null}]
*/
SELECT crawl_id, project_id, url, CAST(num_descriptions AS VARCHAR) || ' descriptions' AS why
FROM mart.pages
WHERE is_indexable AND num_descriptions > 1
