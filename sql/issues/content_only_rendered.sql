/*
title: Content only after rendering
severity: low
category: rendering
definition: The page is indexable, and at least $percent % of its words (and at least $words words) appear only after rendering.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
why_it_matters: Search engines render pages later or not at all. Most AI assistants and link previews do not render pages.
fix: Include the content in the HTML, for example with server-side rendering
owner: template
evidence: [word_count, unrendered_word_count]
thresholds: {percent: {default: 50, unit: percent}, words: {default: 50, unit: words}}
cases:
  has:
    - {is_indexable: true, word_count: 100, unrendered_word_count: 50}
    - {is_indexable: true, word_count: 50, unrendered_word_count: 0}
  has_not:
    - {is_indexable: true, word_count: 100, unrendered_word_count: 51}
    - {is_indexable: true, word_count: 1000, unrendered_word_count: 501}
    - {is_indexable: true, word_count: 49, unrendered_word_count: 10}
    - {is_indexable: true, word_count: 49, unrendered_word_count: 0}
    - {is_indexable: true, word_count: 100, unrendered_word_count: null}
    - {is_indexable: false, word_count: 100, unrendered_word_count: 0}
*/
SELECT crawl_id, project_id, url, CAST(unrendered_word_count AS VARCHAR) || ' of ' || CAST(word_count AS VARCHAR) || ' words in the HTML' AS why
FROM mart.pages
WHERE is_indexable AND word_count - unrendered_word_count >= $words
  AND 100 * (word_count - unrendered_word_count) >= $percent * word_count
