/*
title: Missing description
severity: low
category: titles_and_headings
definition: The page is indexable and has no description (description_evaluation is not_set).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search results show an excerpt of the page instead of a description that you chose.
fix: Add a description to the head, such as <meta name="description" content="…">
owner: content
evidence: [description_evaluation]
cases:
  has: [{is_indexable: true, description_evaluation: not_set}]
  has_not:
    - {is_indexable: true, description_evaluation: unique}
    - {is_indexable: false, description_evaluation: not_set}
*/
SELECT crawl_id, project_id, url, 'no description' AS why
FROM mart.pages
WHERE is_indexable AND description_evaluation = 'not_set'
