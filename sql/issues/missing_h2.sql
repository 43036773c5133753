/*
title: Missing H2
severity: low
category: titles_and_headings
definition: The page is indexable, has at least $words words, and has no H2 (num_h2 is 0).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Long text without headings is hard for users and search engines to scan.
fix: Break up the text with headings, such as <h2>How to brew green tea</h2>
owner: content
evidence: [num_h2, word_count]
thresholds: {words: {default: 300, unit: words}}
cases:
  has: [{is_indexable: true, num_h2: 0, word_count: 300}]
  has_not:
    - {is_indexable: true, num_h2: 0, word_count: 299}
    - {is_indexable: true, num_h2: 1, word_count: 300}
    - {is_indexable: false, num_h2: 0, word_count: 300}
*/
SELECT crawl_id, project_id, url, CAST(word_count AS VARCHAR) || ' words without an H2' AS why
FROM mart.pages
WHERE is_indexable AND num_h2 = 0 AND word_count >= $words
