/*
title: Missing H1
severity: low
category: titles_and_headings
definition: The page is indexable and has no H1 (h1_evaluation is not_set).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: The H1 tells users and search engines what the page is about.
fix: Add one H1, such as <h1>Green tea</h1>
owner: content
evidence: [h1_evaluation]
cases:
  has: [{is_indexable: true, h1_evaluation: not_set}]
  has_not: [{is_indexable: true, h1_evaluation: unique}, {is_indexable: false, h1_evaluation: not_set}]
*/
SELECT crawl_id, project_id, url, 'no H1' AS why
FROM mart.pages
WHERE is_indexable AND h1_evaluation = 'not_set'
