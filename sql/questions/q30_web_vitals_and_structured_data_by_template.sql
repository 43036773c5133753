/*
title: Core Web Vitals and structured data by template
task: Content and templates
model: mart.pages
description: >-
  Each row is a segment of the project's own segmentations, or a first directory, (directory), over pages with status
  200 of the main crawl of each project. Shows the percentages of measured pages that are good (largest contentful paint
  up to 2.5 s, layout shift up to 0.1, blocking time up to 200 ms, and all three), the percentage of pages with
  structured data (an item or a semantic type), and the percentage of invalid items. A value is NULL if nothing was
  measured or the export lacks the value.
parameters: [project, crawl, segment, limit]
needs: [pages]
chart: {kind: bar, x: segment, y: good_percent, each: [project_name, crawl_id, segmentation]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, has_structured_data
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND (($crawl IS NULL AND is_main) OR crawl_id = $crawl)
  ),

  item AS (
    SELECT
      items.crawl_id,
      items.url,
      count(*) AS items,
      count(items.valid) AS judged_items,
      count(CASE WHEN NOT items.valid THEN 1 END) AS invalid_items
    FROM mart.structured_data AS items
    JOIN chosen ON chosen.crawl_id = items.crawl_id
    GROUP BY items.crawl_id, items.url
  ),

  page AS (
    SELECT
      pages.crawl_id,
      pages.url,
      pages.url_first_path,
      pages.cwv_lcp,
      pages.cwv_cls,
      pages.cwv_tbt,
      CASE
        WHEN pages.cwv_lcp IS NOT NULL AND pages.cwv_cls IS NOT NULL AND pages.cwv_tbt IS NOT NULL
          THEN pages.cwv_lcp <= 2500 AND pages.cwv_cls <= 0.1 AND pages.cwv_tbt <= 200
      END AS is_good,
      pages.semantic_types IS NOT NULL AS is_typed,
      coalesce(item.items, 0) > 0 OR coalesce(array_length(pages.semantic_types), 0) > 0 AS is_structured,
      item.judged_items,
      item.invalid_items
    FROM mart.pages AS pages
    JOIN chosen ON chosen.crawl_id = pages.crawl_id
    LEFT JOIN item ON item.crawl_id = pages.crawl_id AND item.url = pages.url
    WHERE pages.status_code = 200
  ),

  placed AS (
    SELECT crawl_id, url, '(directory)' AS segmentation, url_first_path AS segment
    FROM page
    WHERE url_first_path IS NOT NULL

    UNION ALL
    SELECT segments.crawl_id, segments.url, segments.segmentation, segments.segment
    FROM mart.page_segments AS segments
    JOIN chosen ON chosen.crawl_id = segments.crawl_id
    WHERE segments.segment IS NOT NULL
  ),

  counted AS (
    SELECT
      page.crawl_id,
      placed.segmentation,
      placed.segment,
      count(*) AS pages,
      count(page.is_good) AS measured_pages,
      CAST(
        round(
          CAST(100 * avg(CASE WHEN page.cwv_lcp <= 2500 THEN 1 WHEN page.cwv_lcp > 2500 THEN 0 END) AS DECIMAL(38, 9)),
          1
        ) AS DOUBLE
      ) AS good_lcp_percent,
      CAST(
        round(
          CAST(100 * avg(CASE WHEN page.cwv_cls <= 0.1 THEN 1 WHEN page.cwv_cls > 0.1 THEN 0 END) AS DECIMAL(38, 9)),
          1
        ) AS DOUBLE
      ) AS good_cls_percent,
      CAST(
        round(
          CAST(100 * avg(CASE WHEN page.cwv_tbt <= 200 THEN 1 WHEN page.cwv_tbt > 200 THEN 0 END) AS DECIMAL(38, 9)),
          1
        ) AS DOUBLE
      ) AS good_tbt_percent,
      CAST(
        round(
          CAST(100 * avg(CASE WHEN page.is_good THEN 1 WHEN NOT page.is_good THEN 0 END) AS DECIMAL(38, 9)),
          1
        ) AS DOUBLE
      ) AS good_percent,
      count(CASE WHEN page.is_typed THEN 1 END) AS typed_pages,
      count(CASE WHEN page.is_structured THEN 1 END) AS structured_pages,
      CAST(round(CAST(CAST(100 * sum(page.invalid_items) AS DOUBLE) / nullif(sum(page.judged_items), 0) AS DECIMAL(38, 9)), 1) AS DOUBLE)
        AS invalid_item_percent
    FROM page
    JOIN placed ON placed.crawl_id = page.crawl_id AND placed.url = page.url
    WHERE $segment IS NULL OR $segment IN (placed.segment, placed.segmentation || ':' || placed.segment)
    GROUP BY page.crawl_id, placed.segmentation, placed.segment
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  segmentation,
  segment,
  pages,
  measured_pages,
  good_lcp_percent,
  good_cls_percent,
  good_tbt_percent,
  good_percent,
  structured_percent,
  invalid_item_percent
FROM (
  SELECT
    chosen.project_name,
    chosen.crawl_config_name,
    counted.crawl_id,
    counted.segmentation,
    counted.segment,
    counted.pages,
    counted.measured_pages,
    counted.good_lcp_percent,
    counted.good_cls_percent,
    counted.good_tbt_percent,
    counted.good_percent,
    CASE
      WHEN chosen.has_structured_data OR counted.typed_pages > 0
        THEN CAST(round(CAST(CAST(100 * counted.structured_pages AS DOUBLE) / counted.pages AS DECIMAL(38, 9)), 1) AS DOUBLE)
    END AS structured_percent,
    counted.invalid_item_percent,
    row_number() OVER (
      PARTITION BY chosen.project_id
      ORDER BY counted.segmentation, counted.pages DESC, counted.segment
    ) AS place
  FROM counted
  JOIN chosen ON chosen.crawl_id = counted.crawl_id
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, segmentation, pages DESC, segment
