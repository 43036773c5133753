/*
title: Missing title
severity: medium
category: titles_and_headings
definition: The page is indexable, and title_evaluation is not_set.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search results have no title of the page to show, and make one up.
fix: Write a title
mended_by: content
evidence: [title_evaluation]
cases:
  has: [{is_indexable: true, title_evaluation: not_set}]
  has_not: [{is_indexable: true, title_evaluation: unique}, {is_indexable: false, title_evaluation: not_set}]
*/
SELECT crawl_id, project_id, url, 'no title' AS why
FROM mart.pages
WHERE is_indexable AND title_evaluation = 'not_set'
