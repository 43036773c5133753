/*
title: Images without dimensions
severity: low
category: images
definition: The page is indexable and contains images without width and height (num_img_without_size is above 0).
source: https://web.dev/articles/optimize-cls
why_it_matters: The page's content shifts while its images load.
fix: Set the width and height of each image, for example <img src="tea.jpg" width="640" height="480">
owner: template
evidence: [num_img_without_size]
cases:
  has: [{is_indexable: true, num_img_without_size: 1}]
  has_not: [{is_indexable: true, num_img_without_size: 0}, {is_indexable: false, num_img_without_size: 1}]
*/
SELECT crawl_id, project_id, url, CAST(num_img_without_size AS VARCHAR) || ' images without width and height' AS why
FROM mart.pages
WHERE is_indexable AND num_img_without_size > 0
