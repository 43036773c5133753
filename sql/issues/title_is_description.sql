/*
title: Title and description are the same
severity: low
category: titles_and_headings
definition: The page is indexable, and title and description are the same apart from case and spaces at their ends.
source: https://developers.google.com/search/docs/appearance/snippet
why_it_matters: The search result says one thing twice.
fix: Write a description of its own
mended_by: content
evidence: [title, meta_description]
cases:
  has: [{is_indexable: true, title: A page, meta_description: A Page}]
  has_not:
    - {is_indexable: true, title: A page, meta_description: More of it}
    - {is_indexable: false, title: A page, meta_description: A page}
    - {is_indexable: true, title: ' ', meta_description: ''}
*/
SELECT crawl_id, project_id, url, 'both are ' || title AS why
FROM mart.pages
WHERE is_indexable AND trim(title) <> '' AND lower(trim(title)) = lower(trim(meta_description))
