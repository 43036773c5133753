/*
title: Thin and slow pages and structured data, by segment over time
task: Content and templates
model: mart.pages
description: >-
  Each row is a crawl and a first directory, (directory), or a segment of the chosen segmentation, over pages with
  status 200. The chosen segment is a first directory or a segment of the project's own segmentations. Shows the
  percentages of pages with fewer than 300 words, of pages that take more than a second to the last byte, of pages with
  structured data (an item or a semantic type), and of invalid items. A value is NULL if the export lacks it. The chosen
  days are those on which crawls ended. The chart leaves out crawls that are not in trends, such as a stopped crawl.
parameters:
  project:
  crawl:
  segmentation:
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
  each: [project_name, segmentation, segment]
  only: is_in_trends
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, ended_at, is_in_trends, has_structured_data
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL OR crawl_id = $crawl)
      AND ($from IS NULL OR CAST(ended_at AT TIME ZONE 'UTC' AS DATE) >= $from)
      AND ($to IS NULL OR CAST(ended_at AT TIME ZONE 'UTC' AS DATE) < $to)
      AND ($segmentation IS NULL OR crawl_id IN (SELECT crawl_id FROM mart.crawl_segments WHERE segmentation = $segmentation))
  ),

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

  member AS (
    SELECT crawl_id, url, segment
    FROM mart.page_segments
    WHERE segmentation = $segmentation AND crawl_id IN (SELECT crawl_id FROM chosen)
  ),

  page AS (
    SELECT
      pages.crawl_id,
      pages.url,
      pages.page_key,
      pages.word_count,
      pages.load_time,
      pages.semantic_types,
      CASE coalesce($segmentation, '(directory)')
        WHEN '(directory)' THEN pages.url_first_path
        WHEN '(site)' THEN '(site)'
        ELSE member.segment
      END AS segment
    FROM chosen
    JOIN mart.pages AS pages ON pages.crawl_id = chosen.crawl_id
    LEFT JOIN member ON member.crawl_id = pages.crawl_id AND member.url = pages.url
    WHERE pages.status_code = 200
  ),

  counted AS (
    SELECT
      page.crawl_id,
      page.segment,
      count(*) AS pages,
      CAST(round(CAST(100 * avg(CAST(page.word_count < $thin_below AS INTEGER)) AS DECIMAL(38, 9)), 1) AS DOUBLE)
        AS thin_percent,
      CAST(round(CAST(100 * avg(CAST(page.load_time > $slow_above AS INTEGER)) AS DECIMAL(38, 9)), 1) AS DOUBLE)
        AS slow_percent,
      count(page.semantic_types) AS typed_pages,
      count(CASE WHEN item.items > 0 OR array_length(page.semantic_types) > 0 THEN 1 END) AS structured_pages,
      CAST(round(CAST(CAST(100 * sum(item.invalid_items) AS DOUBLE) / nullif(sum(item.judged_items), 0) AS DECIMAL(38, 9)), 1) AS DOUBLE)
        AS invalid_item_percent
    FROM page
    LEFT JOIN item ON item.crawl_id = page.crawl_id AND item.url = page.url
    WHERE $segment IS NULL
      OR $segment IN (page.segment, coalesce($segmentation, '(directory)') || ':' || page.segment)
      OR ($segmentation IS NULL AND page.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment)))
    GROUP BY page.crawl_id, page.segment
  )

SELECT
  project_name,
  ended_at,
  crawl_id,
  is_in_trends,
  coalesce($segmentation, '(directory)') AS segmentation,
  segment,
  pages,
  thin_percent,
  slow_percent,
  structured_percent,
  invalid_item_percent
FROM (
  SELECT
    chosen.project_name,
    chosen.ended_at,
    counted.crawl_id,
    chosen.is_in_trends,
    counted.segment,
    counted.pages,
    counted.thin_percent,
    counted.slow_percent,
    CASE
      WHEN chosen.has_structured_data OR counted.typed_pages > 0
        THEN CAST(round(CAST(CAST(100 * counted.structured_pages AS DOUBLE) / counted.pages AS DECIMAL(38, 9)), 1) AS DOUBLE)
    END AS structured_percent,
    counted.invalid_item_percent,
    row_number() OVER (
      PARTITION BY chosen.project_id ORDER BY counted.segment, chosen.ended_at, counted.crawl_id
    ) AS place
  FROM counted
  JOIN chosen ON chosen.crawl_id = counted.crawl_id
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, segment, ended_at, crawl_id
