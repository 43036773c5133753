/*
title: Thin and slow pages and structured data, by segment over time
model: mart.pages
description: >-
  One row for each crawl and first directory of the URL, over pages with status 200: shares of pages with less than
  300 words, with more than a second to the last byte, and with structured data (an item of
  it, or a semantic type); and of these items the share that is not valid. NULL where the export did not say.
*/
WITH
  item AS (
    SELECT crawl_id, url, count(*) AS items, count(valid) AS judged_items, count(*) FILTER (NOT valid) AS invalid_items
    FROM mart.structured_data
    GROUP BY crawl_id, url
  ),

  segment AS (
    SELECT
      pages.crawl_id,
      pages.url_first_path,
      count(*) AS pages,
      round(avg((word_count < 300)::INTEGER), 3) AS thin_share,
      round(avg((load_time > 1000)::INTEGER), 3) AS slow_share,
      count(semantic_types) AS typed_pages,
      count(*) FILTER (item.items > 0 OR len(semantic_types) > 0) AS structured_pages,
      round(sum(item.invalid_items) / nullif(sum(item.judged_items), 0), 3) AS invalid_item_share
    FROM mart.pages AS pages
    LEFT JOIN item ON item.crawl_id = pages.crawl_id AND item.url = pages.url
    WHERE pages.status_code = 200
    GROUP BY pages.crawl_id, pages.url_first_path
  )

SELECT
  crawls.project_name,
  crawls.ended_at,
  segment.crawl_id,
  segment.url_first_path,
  segment.pages,
  segment.thin_share,
  segment.slow_share,
  if(
    crawls.has_structured_data OR segment.typed_pages > 0,
    round(segment.structured_pages / segment.pages, 3),
    NULL
  ) AS structured_share,
  segment.invalid_item_share
FROM segment
LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = segment.crawl_id
ORDER BY project_name, url_first_path, ended_at, crawl_id
