/*
title: Several H1s
severity: low
category: titles_and_headings
definition: The page is indexable and has more than one H1 (num_h1).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: It is unclear which H1 is the page's main heading.
fix: Keep one H1, and change the others to H2
owner: content
evidence: [num_h1]
cases:
  has: [{is_indexable: true, num_h1: 2}]
  has_not: [{is_indexable: true, num_h1: 1}, {is_indexable: false, num_h1: 2}]
*/
SELECT crawl_id, project_id, url, CAST(num_h1 AS VARCHAR) || ' H1s' AS why
FROM mart.pages
WHERE is_indexable AND num_h1 > 1
