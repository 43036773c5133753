/*
title: Thin content
severity: low
category: content
definition: The page is indexable and has fewer than $words words (word_count, including menus and footer).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: A page with little content rarely answers users' searches.
fix: Write more content, or merge the page with another page
owner: content
evidence: [word_count]
thresholds: {words: {default: 300, unit: words}}
cases:
  has: [{is_indexable: true, word_count: 299}]
  has_not: [{is_indexable: true, word_count: 300}, {is_indexable: false, word_count: 1}]
*/
SELECT crawl_id, project_id, url, CAST(word_count AS VARCHAR) || ' words' AS why
FROM mart.pages
WHERE is_indexable AND word_count < $words
