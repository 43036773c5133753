/*
title: More than one H1
severity: low
category: titles_and_headings
definition: The page is indexable, and num_h1 is above 1.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: It is not clear which of them names the page.
fix: Keep one H1, and make the others H2
mended_by: content
evidence: [num_h1]
cases:
  has: [{is_indexable: true, num_h1: 2}]
  has_not: [{is_indexable: true, num_h1: 1}, {is_indexable: false, num_h1: 2}]
*/
SELECT crawl_id, project_id, url, CAST(num_h1 AS VARCHAR) || ' H1s' AS why
FROM mart.pages
WHERE is_indexable AND num_h1 > 1
