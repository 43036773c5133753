/*
title: Long text without an image
severity: low
category: images
definition: >-
  The page is indexable, has more than $words words (word_count, menus, header and footer included), and no img element
  (num_img is 0). Drawings in svg and backgrounds of CSS do not count.
source: https://developers.google.com/search/docs/appearance/google-images
why_it_matters: It is not found by image search, and search results show it without one.
fix: Add an image that helps readers
mended_by: content
evidence: [num_img, word_count]
thresholds: {words: {default: 1000, unit: words}}
cases:
  has: [{is_indexable: true, num_img: 0, word_count: 1001}]
  has_not:
    - {is_indexable: true, num_img: 0, word_count: 1000}
    - {is_indexable: true, num_img: 1, word_count: 1001}
    - {is_indexable: false, num_img: 0, word_count: 1001}
*/
SELECT crawl_id, project_id, url, CAST(word_count AS VARCHAR) || ' words without an image' AS why
FROM mart.pages
WHERE is_indexable AND num_img = 0 AND word_count > $words
