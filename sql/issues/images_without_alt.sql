/*
title: Images without alt
severity: low
category: images
definition: >-
  The page is indexable, and num_missing_alt is above 0. An empty alt is no fault: it marks decoration.
source: https://developers.google.com/search/docs/appearance/google-images
why_it_matters: Screen readers and search engines do not know what the image shows.
fix: Write what the image shows, or an empty alt for decoration
mended_by: content
evidence: [num_missing_alt]
cases:
  has: [{is_indexable: true, num_missing_alt: 1}]
  has_not: [{is_indexable: true, num_missing_alt: 0}, {is_indexable: false, num_missing_alt: 1}]
*/
SELECT crawl_id, project_id, url, CAST(num_missing_alt AS VARCHAR) || ' images without alt' AS why
FROM mart.pages
WHERE is_indexable AND num_missing_alt > 0
