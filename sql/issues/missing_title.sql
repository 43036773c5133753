/*
title: Missing title
severity: medium
category: titles_and_headings
definition: The page is indexable and has no title (title_evaluation is not_set).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Google generates a title if the page has no title.
fix: Add a title to the head, such as <title>Green tea</title>
owner: content
evidence: [title_evaluation]
cases:
  has: [{is_indexable: true, title_evaluation: not_set}]
  has_not: [{is_indexable: true, title_evaluation: unique}, {is_indexable: false, title_evaluation: not_set}]
*/
SELECT crawl_id, project_id, url, 'no title' AS why
FROM mart.pages
WHERE is_indexable AND title_evaluation = 'not_set'
