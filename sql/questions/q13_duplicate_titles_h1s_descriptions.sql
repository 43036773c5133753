/*
title: Duplicate titles, H1s and descriptions
model: mart.pages
description: >-
  Texts that several pages with status 200 share in the latest crawl of each project, and on how many of them the
  service finds the duplication unhandled by canonicals and hreflang (NULL where the export does not say).
*/
WITH text AS (
  SELECT
    crawls.project_name,
    pages.crawl_id,
    pages.url,
    unnest([
      {field: 'title', value: title::VARCHAR, unhandled: has_duplicate_title_issue},
      {field: 'h1', value: h1::VARCHAR, unhandled: has_duplicate_h1_issue},
      {field: 'meta_description', value: meta_description::VARCHAR, unhandled: has_duplicate_description_issue}
    ], recursive := true)
  FROM mart.pages AS pages
  JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_latest
  WHERE pages.status_code = 200
)

SELECT
  project_name,
  crawl_id,
  field,
  value,
  count(*) AS pages,
  if(count(unhandled) > 0, count(*) FILTER (unhandled), NULL) AS unhandled_pages,
  min(url) AS sample_url
FROM text
WHERE value <> ''
GROUP BY project_name, crawl_id, field, value
HAVING count(*) > 1
ORDER BY project_name, crawl_id, field, pages DESC, value
