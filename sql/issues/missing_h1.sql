/*
title: Missing H1
severity: low
category: titles_and_headings
definition: The page is indexable, and h1_evaluation is not_set.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: The H1 tells people and search engines what the page is about.
fix: Write an H1
mended_by: content
evidence: [h1_evaluation]
cases:
  has: [{is_indexable: true, h1_evaluation: not_set}]
  has_not: [{is_indexable: true, h1_evaluation: unique}, {is_indexable: false, h1_evaluation: not_set}]
*/
SELECT crawl_id, project_id, url, 'no H1' AS why
FROM mart.pages
WHERE is_indexable AND h1_evaluation = 'not_set'
