/*
title: Thin and slow pages and structured data, by segment over time
model: mart.pages
description: >-
  One row for each crawl and first directory of the URL, over pages with status 200: percentages of pages with less than
  300 words, with more than a second to the last byte, and with structured data (an item of
  it, or a semantic type); and of these items the percentage that is not valid. NULL where the export did not say. The days
  are those on which crawls ended.
  Its chart leaves out crawls that are not in trends, such as one that was stopped.
parameters:
  project:
  crawl:
  segment:
  from:
  to:
  limit:
  thin_below: {type: BIGINT, default: 300, description: A page with fewer words is thin.}
  slow_above: {type: BIGINT, default: 1000, description: 'A page that takes longer is slow, in milliseconds.'}
needs: [pages]
chart:
  kind: line
  x: ended_at
  y: [thin_percent, slow_percent, structured_percent, invalid_item_percent]
  each: [project_name, url_first_path]
  only: is_in_trends
*/
WITH
  item AS (
    SELECT
      crawl_id,
      url,
      count(*) AS items,
      count(valid) AS judged_items,
      count(CASE WHEN NOT valid THEN 1 END) AS invalid_items
    FROM mart.structured_data
    GROUP BY crawl_id, url
  ),

  segment AS (
    SELECT
      pages.crawl_id,
      pages.url_first_path,
      count(*) AS pages,
      CAST(round(CAST(100 * avg(CAST(pages.word_count < $thin_below AS INTEGER)) AS DECIMAL(38, 9)), 1) AS DOUBLE)
        AS thin_percent,
      CAST(round(CAST(100 * avg(CAST(pages.load_time > $slow_above AS INTEGER)) AS DECIMAL(38, 9)), 1) AS DOUBLE)
        AS slow_percent,
      count(pages.semantic_types) AS typed_pages,
      count(CASE WHEN item.items > 0 OR array_length(pages.semantic_types) > 0 THEN 1 END) AS structured_pages,
      CAST(round(CAST(CAST(100 * sum(item.invalid_items) AS DOUBLE) / nullif(sum(item.judged_items), 0) AS DECIMAL(38, 9)), 1) AS DOUBLE)
        AS invalid_item_percent
    FROM mart.pages AS pages
    LEFT JOIN item ON item.crawl_id = pages.crawl_id AND item.url = pages.url
    WHERE pages.status_code = 200
      AND ($segment IS NULL OR pages.url_first_path = $segment)
    GROUP BY pages.crawl_id, pages.url_first_path
  )

SELECT
  project_name,
  ended_at,
  crawl_id,
  is_in_trends,
  url_first_path,
  pages,
  thin_percent,
  slow_percent,
  structured_percent,
  invalid_item_percent
FROM (
  SELECT
    crawls.project_name,
    crawls.ended_at,
    segment.crawl_id,
    crawls.is_in_trends,
    segment.url_first_path,
    segment.pages,
    segment.thin_percent,
    segment.slow_percent,
    CASE
      WHEN crawls.has_structured_data OR segment.typed_pages > 0
        THEN CAST(round(CAST(CAST(100 * segment.structured_pages AS DOUBLE) / segment.pages AS DECIMAL(38, 9)), 1) AS DOUBLE)
    END AS structured_percent,
    segment.invalid_item_percent,
    row_number() OVER (
      PARTITION BY crawls.project_id ORDER BY segment.url_first_path, crawls.ended_at, segment.crawl_id
    ) AS place
  FROM segment
  LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = segment.crawl_id
  WHERE ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
    AND ($crawl IS NULL OR segment.crawl_id = $crawl)
    AND ($from IS NULL OR CAST(crawls.ended_at AT TIME ZONE 'UTC' AS DATE) >= $from)
    AND ($to IS NULL OR CAST(crawls.ended_at AT TIME ZONE 'UTC' AS DATE) < $to)
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, url_first_path, ended_at, crawl_id
