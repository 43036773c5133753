/*
title: Share of pages that search engines crawl, and their hits, by segment, depth and inrank
model: mart.page_hits
description: >-
  Pages of each crawl that days with log files go with, the latest first, and what bots of search engines asked for on these days; a
  segment is the first directory of the URL. Visited percent are the pages that such a bot asked for at least
  once, of those that the log files tell it of (unknown_pages are the others). A total is NULL where one of its pages is
  not known; the service's counts of a day do not tell the engine.
parameters: [project, crawl, segment, limit]
needs: [pages, logs]
chart: {kind: bar, x: depth, y: search_bot_hits, each: [project_name, from_date, crawl_id]}
*/
WITH
  logged AS (
    SELECT crawl_id, max(from_date) AS from_date, max(to_date) AS to_date
    FROM mart.page_hits
    WHERE crawl_id IS NOT NULL AND ($crawl IS NULL OR crawl_id = $crawl)
    GROUP BY crawl_id
  ),

  segment AS (
    SELECT
      pages.crawl_id,
      pages.url_first_path,
      pages.depth,
      pages.inrank,
      count(*) AS pages,
      count(CASE WHEN hits.search_bot_hits > 0 THEN 1 END) AS visited_pages,
      count(hits.url) - count(hits.search_bot_hits) AS unknown_pages,
      count(hits.url) - count(hits.google_bot_hits) AS unknown_engine_pages,
      CAST(coalesce(sum(hits.search_bot_hits), 0) AS BIGINT) AS search_bot_hits,
      CAST(coalesce(sum(hits.google_bot_hits), 0) AS BIGINT) AS google_bot_hits,
      CAST(coalesce(sum(hits.bing_bot_hits), 0) AS BIGINT) AS bing_bot_hits
    FROM logged
    JOIN mart.pages AS pages ON pages.crawl_id = logged.crawl_id
    LEFT JOIN mart.page_hits AS hits ON hits.crawl_id = pages.crawl_id AND hits.url = pages.url
    WHERE $segment IS NULL OR pages.url_first_path = $segment
    GROUP BY pages.crawl_id, pages.url_first_path, pages.depth, pages.inrank
  )

SELECT
  project_name,
  crawl_id,
  from_date,
  to_date,
  url_first_path,
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
    crawls.project_name,
    segment.crawl_id,
    logged.from_date,
    logged.to_date,
    segment.url_first_path,
    segment.depth,
    segment.inrank,
    segment.pages,
    segment.unknown_pages,
    CAST(
      round(
        CAST(
          CAST(100 * segment.visited_pages AS DOUBLE) / nullif(segment.pages - segment.unknown_pages, 0)
          AS DECIMAL(38, 9)
        ),
        1
      ) AS DOUBLE
    ) AS visited_percent,
    CASE WHEN segment.unknown_pages = 0 THEN segment.search_bot_hits END AS search_bot_hits,
    CASE WHEN segment.unknown_engine_pages = 0 THEN segment.google_bot_hits END AS google_bot_hits,
    CASE WHEN segment.unknown_engine_pages = 0 THEN segment.bing_bot_hits END AS bing_bot_hits,
    row_number() OVER (
      PARTITION BY crawls.project_id
      ORDER BY logged.from_date DESC, segment.crawl_id, segment.url_first_path, segment.depth, segment.inrank
    ) AS place
  FROM segment
  JOIN logged ON logged.crawl_id = segment.crawl_id
  JOIN mart.crawls AS crawls ON crawls.crawl_id = segment.crawl_id
  WHERE ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, from_date DESC, crawl_id, url_first_path, depth, inrank
