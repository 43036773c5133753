/*
title: Invalid structured data
severity: medium
category: structured_data
definition: The page is indexable and contains invalid structured data (mart.structured_data).
source: https://developers.google.com/search/docs/appearance/structured-data/sd-policies
why_it_matters: Search engines do not show a rich result for an item that lacks a required property.
fix: Add the missing properties to the item
owner: template
evidence: [crawl_structured_data.valid]
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  CAST(items.invalid_items AS VARCHAR) || ' invalid items' AS why
FROM (
  SELECT crawl_id, url, count(*) AS invalid_items
  FROM mart.structured_data
  WHERE NOT valid
  GROUP BY crawl_id, url
) AS items
JOIN mart.pages AS pages ON pages.crawl_id = items.crawl_id AND pages.url = items.url
WHERE pages.is_indexable
