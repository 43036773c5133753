/*
title: Reasons why pages are not indexable, by crawl
task: Indexability
model: mart.pages
description: >-
  Each row is a crawl and the first reason why pages are not indexable, with the change since the previous crawl. A segment
  is a first directory or a segment of the project's own segmentations. The chosen days are those on which crawls ended. The
  limit counts the rows of the latest crawls. The chart leaves out crawls that are not in trends, such as a stopped crawl.
parameters: [project, crawl, segment, from, to, limit]
needs: [pages]
chart:
  kind: stacked
  x: ended_at
  y: pages
  colour: reason
  each: [project_name, crawl_config_name]
  only: is_in_trends
*/
WITH
  page AS (
    SELECT crawl_id, url, is_indexable, non_indexable_reason
    FROM mart.pages
    WHERE $segment IS NULL
      OR $segment IN (url_first_path, '(directory):' || url_first_path)
      OR page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
  ),

  total AS (
    SELECT crawl_id, count(*) AS pages
    FROM page
    GROUP BY crawl_id
  ),

  reason AS (
    SELECT crawl_id, non_indexable_reason AS reason, count(*) AS pages, min(url) AS sample_url
    FROM page
    WHERE NOT is_indexable
    GROUP BY crawl_id, non_indexable_reason
  )

SELECT
  project_name,
  crawl_config_name,
  ended_at,
  crawl_id,
  is_in_trends,
  reason,
  pages,
  pages_percent,
  pages_change,
  sample_url
FROM (
  SELECT
    crawls.project_name,
    crawls.crawl_config_name,
    crawls.ended_at,
    reason.crawl_id,
    crawls.is_in_trends,
    reason.reason,
    reason.pages,
    CAST(round(CAST(CAST(100 * reason.pages AS DOUBLE) / total.pages AS DECIMAL(38, 9)), 1) AS DOUBLE) AS pages_percent,
    CASE
      WHEN crawls.previous_crawl_id IS NOT NULL THEN reason.pages - coalesce(former.pages, 0)
    END AS pages_change,
    reason.sample_url,
    row_number() OVER (
      PARTITION BY crawls.project_id
      ORDER BY crawls.ended_at DESC NULLS LAST, reason.crawl_id, reason.pages DESC, reason.reason
    ) AS place
  FROM reason
  JOIN total ON total.crawl_id = reason.crawl_id
  LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = reason.crawl_id
  LEFT JOIN reason AS former
    ON former.crawl_id = crawls.previous_crawl_id AND former.reason = reason.reason
  WHERE ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
    AND ($crawl IS NULL OR reason.crawl_id = $crawl)
    AND ($from IS NULL OR CAST(crawls.ended_at AT TIME ZONE 'UTC' AS DATE) >= $from)
    AND ($to IS NULL OR CAST(crawls.ended_at AT TIME ZONE 'UTC' AS DATE) < $to)
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, ended_at DESC NULLS LAST, crawl_id, pages DESC, reason
