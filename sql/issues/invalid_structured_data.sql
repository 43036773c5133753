/*
title: Invalid structured data
severity: medium
category: structured_data
definition: The page is indexable, and an item of structured data on it is not valid (mart.structured_data).
source: https://developers.google.com/search/docs/appearance/structured-data/sd-policies
why_it_matters: Search results show nothing of an item that lacks what its type requires.
fix: Give the item the properties that it lacks
mended_by: template
evidence: [crawl_structured_data.valid]
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  CAST(items.invalid_items AS VARCHAR) || ' items that are not valid' AS why
FROM (
  SELECT crawl_id, url, count(*) AS invalid_items
  FROM mart.structured_data
  WHERE NOT valid
  GROUP BY crawl_id, url
) AS items
JOIN mart.pages AS pages ON pages.crawl_id = items.crawl_id AND pages.url = items.url
WHERE pages.is_indexable
