/*
title: Many images
severity: low
category: images
definition: The page returns 200 and contains more than $images images (num_img).
source: https://sitebulb.com/hints/performance/
why_it_matters: A page with many images loads slowly, especially on phones.
fix: Load images lazily with loading="lazy", or split the page
owner: template
evidence: [status_code, num_img]
thresholds: {images: {default: 200, unit: images}}
cases:
  has: [{status_code: 200, num_img: 201}]
  has_not: [{status_code: 200, num_img: 200}, {status_code: 404, num_img: 201}]
*/
SELECT crawl_id, project_id, url, CAST(num_img AS VARCHAR) || ' images' AS why
FROM mart.pages
WHERE status_code = 200 AND num_img > $images
