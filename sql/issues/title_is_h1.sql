/*
title: Title equals H1
severity: low
category: titles_and_headings
definition: The page is indexable, and its title and H1 are identical, ignoring letter case and surrounding spaces.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Different wording in the title and the H1 can cover more search terms.
fix: Add other search terms to the title or the H1
owner: content
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
