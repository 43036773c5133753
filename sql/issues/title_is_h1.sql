/*
title: Title and H1 are the same
severity: low
category: titles_and_headings
definition: The page is indexable, and title and H1 are the same apart from case and spaces at their ends.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: A chance is lost to name the page by other words that people look for.
fix: Let one of them say more
mended_by: content
evidence: [title, h1]
cases:
  has: [{is_indexable: true, title: A page, h1: 'a page '}]
  has_not:
    - {is_indexable: true, title: A page, h1: Another}
    - {is_indexable: true, title: '', h1: ''}
    - {is_indexable: false, title: A page, h1: A page}
*/
SELECT crawl_id, project_id, url, 'both are ' || title AS why
FROM mart.pages
WHERE is_indexable AND trim(title) <> '' AND lower(trim(title)) = lower(trim(h1))
