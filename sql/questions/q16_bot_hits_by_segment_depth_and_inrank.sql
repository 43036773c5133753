/*
title: Pages that search engines crawl, and their hits, by segment, depth and inrank
task: Bots and crawl budget
model: mart.page_hits
description: >-
  Each row counts pages and the requests of search engine bots on the days of the crawl (mart.crawl_days), by first
  directory, (directory), or by segments of the chosen segmentation. Covers the main crawl of each project, or the
  chosen crawl. The chosen segment is a first directory or a segment of the project's own segmentations. Visited percent
  is the share of pages that a search engine bot requested at least once, among pages with known log data. The other
  pages are counted in unknown_pages. A total is NULL if the value is unknown for one of the pages. The service's daily
  counts do not contain the engine.
parameters: [project, crawl, segmentation, segment, limit]
needs: [pages, logs]
chart: {kind: bar, x: depth, y: search_bot_hits, each: [project_name, from_date, crawl_id]}
*/
WITH
  logged AS (
    SELECT DISTINCT crawls.project_id, crawls.project_name, crawls.crawl_id, days.from_date, days.to_date
    FROM mart.crawls AS crawls
    JOIN mart.crawl_days AS days ON days.crawl_id = crawls.crawl_id AND days.kind = 'logs'
    WHERE ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
      AND ($crawl IS NULL AND crawls.is_main OR crawls.crawl_id = $crawl)
      AND (
        $segmentation IS NULL
        OR crawls.crawl_id IN (SELECT crawl_id FROM mart.crawl_segments WHERE segmentation = $segmentation)
      )
  ),

  member AS (
    SELECT crawl_id, url, segment
    FROM mart.page_segments
    WHERE segmentation = $segmentation AND crawl_id IN (SELECT crawl_id FROM logged)
  ),

  page AS (
    SELECT
      pages.crawl_id,
      pages.url,
      pages.page_key,
      pages.depth,
      pages.inrank,
      CASE coalesce($segmentation, '(directory)')
        WHEN '(directory)' THEN pages.url_first_path
        WHEN '(site)' THEN '(site)'
        ELSE member.segment
      END AS segment
    FROM logged
    JOIN mart.pages AS pages ON pages.crawl_id = logged.crawl_id
    LEFT JOIN member ON member.crawl_id = pages.crawl_id AND member.url = pages.url
  ),

  counted AS (
    SELECT
      page.crawl_id,
      page.segment,
      page.depth,
      page.inrank,
      count(*) AS pages,
      count(CASE WHEN hits.search_bot_hits > 0 THEN 1 END) AS visited_pages,
      count(hits.url) - count(hits.search_bot_hits) AS unknown_pages,
      count(hits.url) - count(hits.google_bot_hits) AS unknown_engine_pages,
      CAST(coalesce(sum(hits.search_bot_hits), 0) AS BIGINT) AS search_bot_hits,
      CAST(coalesce(sum(hits.google_bot_hits), 0) AS BIGINT) AS google_bot_hits,
      CAST(coalesce(sum(hits.bing_bot_hits), 0) AS BIGINT) AS bing_bot_hits
    FROM page
    LEFT JOIN mart.page_hits AS hits ON hits.crawl_id = page.crawl_id AND hits.url = page.url
    WHERE $segment IS NULL
      OR $segment IN (page.segment, coalesce($segmentation, '(directory)') || ':' || page.segment)
      OR ($segmentation IS NULL AND page.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment)))
    GROUP BY page.crawl_id, page.segment, page.depth, page.inrank
  )

SELECT
  project_name,
  crawl_id,
  from_date,
  to_date,
  coalesce($segmentation, '(directory)') AS segmentation,
  segment,
  depth,
  inrank,
  pages,
  unknown_pages,
  visited_percent,
  search_bot_hits,
  google_bot_hits,
  bing_bot_hits
FROM (
  SELECT
    logged.project_name,
    counted.crawl_id,
    logged.from_date,
    logged.to_date,
    counted.segment,
    counted.depth,
    counted.inrank,
    counted.pages,
    counted.unknown_pages,
    CAST(
      round(
        CAST(
          CAST(100 * counted.visited_pages AS DOUBLE) / nullif(counted.pages - counted.unknown_pages, 0)
          AS DECIMAL(38, 9)
        ),
        1
      ) AS DOUBLE
    ) AS visited_percent,
    CASE WHEN counted.unknown_pages = 0 THEN counted.search_bot_hits END AS search_bot_hits,
    CASE WHEN counted.unknown_engine_pages = 0 THEN counted.google_bot_hits END AS google_bot_hits,
    CASE WHEN counted.unknown_engine_pages = 0 THEN counted.bing_bot_hits END AS bing_bot_hits,
    row_number() OVER (
      PARTITION BY logged.project_id
      ORDER BY counted.crawl_id, counted.segment, counted.depth, counted.inrank
    ) AS place
  FROM counted
  JOIN logged ON logged.crawl_id = counted.crawl_id
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, segment, depth, inrank
