/*
title: Images without alt text
severity: low
category: images
definition: The page is indexable and contains images without an alt attribute (num_missing_alt is above 0). An empty alt is correct for decorative images.
source: https://developers.google.com/search/docs/appearance/google-images
why_it_matters: Screen readers and search engines cannot tell what the images show.
fix: Describe the image in an alt attribute, as in <img src="tea.jpg" alt="Green tea in a glass">, or write alt="" for a decorative image
owner: content
evidence: [num_missing_alt]
cases:
  has: [{is_indexable: true, num_missing_alt: 1}]
  has_not: [{is_indexable: true, num_missing_alt: 0}, {is_indexable: false, num_missing_alt: 1}]
*/
SELECT crawl_id, project_id, url, CAST(num_missing_alt AS VARCHAR) || ' images without alt' AS why
FROM mart.pages
WHERE is_indexable AND num_missing_alt > 0
