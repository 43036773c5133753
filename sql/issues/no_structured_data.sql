/*
title: No structured data
severity: low
category: structured_data
definition: The page is indexable, and semantic_item_count is 0.
source: https://developers.google.com/search/docs/appearance/structured-data/intro-structured-data
why_it_matters: Search results can show nothing beyond title and text.
fix: Describe what the page is about by JSON-LD
mended_by: template
evidence: [semantic_item_count]
cases:
  has: [{is_indexable: true, semantic_item_count: 0}]
  has_not: [{is_indexable: true, semantic_item_count: 1}, {is_indexable: false, semantic_item_count: 0}]
*/
SELECT crawl_id, project_id, url, 'no structured data' AS why
FROM mart.pages
WHERE is_indexable AND semantic_item_count = 0
