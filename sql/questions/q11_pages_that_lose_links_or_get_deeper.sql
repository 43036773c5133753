/*
title: Priority pages that lose inlinks or get deeper
model: mart.pages
description: >-
  The hundred pages with the highest inrank before, of those that have fewer inlinks or stand deeper in the latest
  crawl of their project than in the one before it.
*/
SELECT
  crawls.project_name,
  later.crawl_id,
  later.url,
  earlier.inrank_decimal AS inrank_before,
  later.inrank_decimal AS inrank,
  earlier.nb_inlinks AS nb_inlinks_before,
  later.nb_inlinks,
  earlier.depth AS depth_before,
  later.depth
FROM mart.crawls AS crawls
JOIN mart.pages AS later ON later.crawl_id = crawls.crawl_id
JOIN mart.pages AS earlier ON earlier.crawl_id = crawls.previous_crawl_id AND earlier.url = later.url
WHERE crawls.is_main
  AND (later.nb_inlinks < earlier.nb_inlinks OR later.depth > earlier.depth)
ORDER BY inrank_before DESC NULLS LAST, nb_inlinks_before - later.nb_inlinks DESC NULLS LAST, crawl_id, url
LIMIT 100
