/*
title: Title in capital letters
severity: low
category: titles_and_headings
definition: The page is indexable, and its title has more than 10 characters, at least one capital letter and no lowercase letters.
source: https://developers.google.com/search/docs/appearance/title-link
why_it_matters: Titles in capitals are hard to read, and search engines may rewrite them.
fix: Write the title in sentence case
owner: content
evidence: [title]
cases:
  has: [{is_indexable: true, title: 'BUY NOW HERE'}, {is_indexable: true, title: 'BUY NOW ALL'}]
  has_not:
    - {is_indexable: true, title: 'BUY NOW Here'}
    - {is_indexable: true, title: 'IBM'}
    - {is_indexable: true, title: '1234 5678 90'}
    - {is_indexable: true, title: 'BUY IT ALL'}
    - {is_indexable: false, title: 'BUY NOW HERE'}
*/
SELECT crawl_id, project_id, url, 'title ' || title AS why
FROM mart.pages
WHERE is_indexable AND title = upper(title) AND title <> lower(title) AND length(title) > 10
