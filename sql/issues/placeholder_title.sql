/*
title: Placeholder title
severity: medium
category: titles_and_headings
definition: The page is indexable, and its title is "untitled", "untitled document", "new page", "document", "index" or "home page", regardless of letter case.
source: https://developers.google.com/search/docs/appearance/title-link
why_it_matters: The title does not describe the page, so search engines generate another title.
fix: Write a title that describes the page, such as <title>Green tea</title>
owner: content
evidence: [title]
cases:
  has:
    - {is_indexable: true, title: 'Untitled Document '}
    - {is_indexable: true, title: untitled}
    - {is_indexable: true, title: New page}
    - {is_indexable: true, title: Document}
    - {is_indexable: true, title: Index}
    - {is_indexable: true, title: Home Page}
  has_not: [{is_indexable: true, title: Index of forms}, {is_indexable: false, title: Untitled}]
*/
SELECT crawl_id, project_id, url, 'title ' || title AS why
FROM mart.pages
WHERE is_indexable
  AND lower(trim(title)) IN ('untitled', 'untitled document', 'new page', 'document', 'index', 'home page')
