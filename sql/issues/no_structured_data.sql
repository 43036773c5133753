/*
title: No structured data
severity: low
category: structured_data
definition: The page is indexable and has no structured data (semantic_item_count is 0).
source: https://developers.google.com/search/docs/appearance/structured-data/intro-structured-data
why_it_matters: Search engines cannot show a rich result for the page.
fix: Describe the page with JSON-LD in <script type="application/ld+json">
owner: template
evidence: [semantic_item_count]
cases:
  has: [{is_indexable: true, semantic_item_count: 0}]
  has_not: [{is_indexable: true, semantic_item_count: 1}, {is_indexable: false, semantic_item_count: 0}]
*/
SELECT crawl_id, project_id, url, 'no structured data' AS why
FROM mart.pages
WHERE is_indexable AND semantic_item_count = 0
