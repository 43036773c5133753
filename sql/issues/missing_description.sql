/*
title: Missing description
severity: low
category: titles_and_headings
definition: The page is indexable, and description_evaluation is not_set.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search results cut a text out of the page in place of one that was written for them.
fix: Write a description
mended_by: content
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
