/*
title: Status codes per crawl over time
model: mart.status_codes_by_crawl
description: >-
  One row for each crawl and HTTP status; a status of NULL stands for pages without an answer. The days are those on
  which crawls ended.
parameters: [project, crawl, from, to, limit]
*/
SELECT
  project_name,
  ended_at,
  crawl_id,
  status_code,
  status_code_range,
  pages,
  percent
FROM (
  SELECT
    crawls.project_name,
    codes.ended_at,
    codes.crawl_id,
    codes.status_code,
    codes.status_code_range,
    codes.pages,
    round(100 * codes.share, 1) AS percent,
    row_number() OVER (
      PARTITION BY crawls.project_id ORDER BY codes.ended_at, codes.crawl_id, codes.status_code NULLS LAST
    ) AS place
  FROM mart.status_codes_by_crawl AS codes
  LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = codes.crawl_id
  WHERE ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
    AND ($crawl IS NULL OR codes.crawl_id = $crawl)
    AND ($from IS NULL OR CAST(codes.ended_at AT TIME ZONE 'UTC' AS DATE) >= $from)
    AND ($to IS NULL OR CAST(codes.ended_at AT TIME ZONE 'UTC' AS DATE) < $to)
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, ended_at, crawl_id, status_code NULLS LAST
