/*
title: Long text without an image
severity: low
category: images
definition: The page is indexable, has more than $words words (word_count, including menus, header and footer), and contains no img element (num_img is 0). Inline SVG and CSS backgrounds do not count as images.
source: https://developers.google.com/search/docs/appearance/google-images
why_it_matters: Image search does not find the page, and search results show it without an image.
fix: Add an image that helps users, such as <img src="tea.jpg" alt="Green tea in a glass">
owner: content
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
