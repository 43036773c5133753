/*
title: Several titles
severity: low
category: titles_and_headings
definition: The page is indexable and has more than one title (num_titles).
source: https://developers.google.com/search/docs/appearance/title-link
why_it_matters: Search engines choose one of the titles. Often, a template and a plugin each add a title.
fix: Keep one <title> in the head
owner: template
evidence: [num_titles]
cases:
  has: [{is_indexable: true, num_titles: 2}]
  has_not: [{is_indexable: true, num_titles: 1}, {is_indexable: false, num_titles: 2}, {is_indexable: true, num_titles: null}]
*/
SELECT crawl_id, project_id, url, CAST(num_titles AS VARCHAR) || ' titles' AS why
FROM mart.pages
WHERE is_indexable AND num_titles > 1
