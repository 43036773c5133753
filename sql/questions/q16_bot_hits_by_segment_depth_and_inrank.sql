/*
title: Share of pages that bots visit, and their hits, by segment, depth and inrank
model: mart.page_hits
description: >-
  Pages of each crawl that days with log files go with, and what bots asked for on these days; a segment is the first
  directory of the URL. Visited share is the share of the pages that a bot asked for at least once.
*/
WITH logged AS (
  SELECT crawl_id, max(from_day) AS from_day, max(to_day) AS to_day
  FROM mart.page_hits
  WHERE crawl_id IS NOT NULL
  GROUP BY crawl_id
)

SELECT
  crawls.project_name,
  pages.crawl_id,
  logged.from_day,
  logged.to_day,
  pages.url_first_path,
  pages.depth,
  pages.inrank,
  count(*) AS pages,
  round(count(*) FILTER (hits.bot_hits > 0) / count(*), 3) AS visited_share,
  coalesce(sum(hits.bot_hits), 0)::BIGINT AS bot_hits,
  coalesce(sum(hits.seo_bot_hits), 0)::BIGINT AS seo_bot_hits
FROM logged
JOIN mart.crawls AS crawls ON crawls.crawl_id = logged.crawl_id
JOIN mart.pages AS pages ON pages.crawl_id = logged.crawl_id
LEFT JOIN mart.page_hits AS hits ON hits.crawl_id = pages.crawl_id AND hits.url = pages.url
GROUP BY
  crawls.project_name, pages.crawl_id, logged.from_day, logged.to_day,
  pages.url_first_path, pages.depth, pages.inrank
ORDER BY project_name, from_day, crawl_id, url_first_path, depth, inrank
