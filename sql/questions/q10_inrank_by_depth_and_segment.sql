/*
title: Inrank by depth and segment, and what is lost to pages that are not 200
model: mart.pages
description: >-
  The latest crawl of each project; a segment is the first directory of the URL. Lost is the share of the segment's
  inrank that stands on pages with another status than 200.
*/
SELECT
  crawls.project_name,
  pages.crawl_id,
  pages.depth,
  pages.url_first_path,
  count(*) AS pages,
  round(avg(inrank_decimal), 2) AS average_inrank,
  round(sum(inrank_decimal) FILTER (status_code <> 200) / nullif(sum(inrank_decimal), 0), 3) AS lost_share
FROM mart.pages AS pages
JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_main
GROUP BY crawls.project_name, pages.crawl_id, pages.depth, pages.url_first_path
ORDER BY project_name, crawl_id, depth, pages DESC, url_first_path
