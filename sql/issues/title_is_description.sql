/*
title: Title equals description
severity: low
category: titles_and_headings
definition: The page is indexable, and its title and description are identical, ignoring letter case and surrounding spaces.
source: https://developers.google.com/search/docs/appearance/snippet
why_it_matters: The search result shows the same text twice.
fix: Write a separate description, such as <meta name="description" content="…">
owner: content
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
