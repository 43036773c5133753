/*
title: Thin content
severity: low
category: content
definition: The page is indexable, and word_count (of the whole body, menus and footer included) is below $words.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: A page with little to say seldom answers what people look for.
fix: Write more, or join the page with another one
mended_by: content
evidence: [word_count]
thresholds: {words: {default: 300, unit: words}}
cases:
  has: [{is_indexable: true, word_count: 299}]
  has_not: [{is_indexable: true, word_count: 300}, {is_indexable: false, word_count: 1}]
*/
SELECT crawl_id, project_id, url, CAST(word_count AS VARCHAR) || ' words' AS why
FROM mart.pages
WHERE is_indexable AND word_count < $words
