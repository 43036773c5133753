/*
title: Very many images
severity: low
category: images
definition: The page answers 200, and num_img is above $images.
source: https://sitebulb.com/hints/performance/
why_it_matters: Such a page loads slowly, above all on phones.
fix: Load images as they come into view, or part the page
mended_by: template
evidence: [status_code, num_img]
thresholds: {images: {default: 200, unit: images}}
cases:
  has: [{status_code: 200, num_img: 201}]
  has_not: [{status_code: 200, num_img: 200}, {status_code: 404, num_img: 201}]
*/
SELECT crawl_id, project_id, url, CAST(num_img AS VARCHAR) || ' images' AS why
FROM mart.pages
WHERE status_code = 200 AND num_img > $images
