/*
title: Page without text
severity: high
category: content
definition: The page is indexable, has no words (word_count is 0), and is not an application shell (is_app_shell).
source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
why_it_matters: Search engines find no text. Either the page is broken, or JavaScript adds its text.
fix: Include the text in the HTML that the server sends
owner: server
evidence: [word_count]
cases:
  has: [{is_indexable: true, word_count: 0}]
  has_not: [{is_indexable: true, word_count: 1}, {is_indexable: true, word_count: 0, is_app_shell: true}, {is_indexable: false, word_count: 0}]
*/
SELECT crawl_id, project_id, url, '0 words' AS why
FROM mart.pages
WHERE is_indexable AND word_count = 0 AND NOT coalesce(is_app_shell, false)
