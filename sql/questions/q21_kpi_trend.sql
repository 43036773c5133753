/*
title: "KPI trend: the figures of each crawl, and the changes since the previous crawl"
task: What changed
model: mart.crawl_kpis
description: >-
  Each row is a crawl of the whole site, or of one segment, which is a first directory or a segment of the project's own
  segmentations. docs/definitions.md defines the figures. Clicks, impressions and bot hits depend on days. If the two crawls
  have different numbers of days, or the same days, a reason replaces the change. The chosen days are those on which crawls
  ended. The limit counts the latest crawls. The chart leaves out crawls that are not in trends, such as a stopped crawl.
parameters: [project, crawl, segment, from, to, limit]
needs: [pages]
chart:
  kind: line
  x: ended_at
  y: [pages, indexable_pages, error_pages, average_load_time]
  each: [project_name, crawl_config_name, segmentation, segment]
  only: is_in_trends
*/
SELECT
  project_name,
  crawl_config_name,
  ended_at,
  crawl_id,
  is_in_trends,
  segmentation,
  segment,
  pages,
  pages_change,
  indexable_pages,
  indexable_pages_change,
  error_pages,
  error_pages_change,
  redirect_pages,
  redirect_pages_change,
  average_depth,
  average_depth_change,
  average_load_time,
  average_load_time_change,
  average_word_count,
  average_word_count_change,
  duplicate_pages,
  duplicate_pages_change,
  orphan_pages,
  orphan_pages_change,
  clicks,
  clicks_change,
  clicks_change_reason,
  impressions,
  impressions_change,
  impressions_change_reason,
  ranking_days,
  ranking_from_date,
  ranking_to_date,
  search_bot_hits,
  search_bot_hits_change,
  search_bot_hits_change_reason,
  all_clicks,
  all_impressions,
  all_search_bot_hits,
  log_days,
  log_from_date,
  log_to_date
FROM (
  SELECT
    project_name,
    crawl_config_name,
    ended_at,
    crawl_id,
    crawl_id IN (SELECT crawl_id FROM mart.crawls WHERE is_in_trends) AS is_in_trends,
    segmentation,
    segment,
    pages,
    pages_change,
    indexable_pages,
    indexable_pages_change,
    error_pages,
    error_pages_change,
    redirect_pages,
    redirect_pages_change,
    CAST(round(CAST(average_depth AS DECIMAL(38, 9)), 2) AS DOUBLE) AS average_depth,
    CAST(round(CAST(average_depth_change AS DECIMAL(38, 9)), 2) AS DOUBLE) AS average_depth_change,
    CAST(round(CAST(average_load_time AS DECIMAL(38, 9)), 2) AS DOUBLE) AS average_load_time,
    CAST(round(CAST(average_load_time_change AS DECIMAL(38, 9)), 2) AS DOUBLE) AS average_load_time_change,
    CAST(round(CAST(average_word_count AS DECIMAL(38, 9)), 2) AS DOUBLE) AS average_word_count,
    CAST(round(CAST(average_word_count_change AS DECIMAL(38, 9)), 2) AS DOUBLE) AS average_word_count_change,
    duplicate_pages,
    duplicate_pages_change,
    orphan_pages,
    orphan_pages_change,
    clicks,
    clicks_change,
    clicks_change_reason,
    impressions,
    impressions_change,
    impressions_change_reason,
    ranking_days,
    ranking_from_date,
    ranking_to_date,
    search_bot_hits,
    search_bot_hits_change,
    search_bot_hits_change_reason,
    all_clicks,
    all_impressions,
    all_search_bot_hits,
    log_days,
    log_from_date,
    log_to_date,
    row_number() OVER (
      PARTITION BY project_id ORDER BY ended_at DESC NULLS LAST, crawl_id, segmentation, segment
    ) AS place
  FROM mart.crawl_kpis
  WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
    AND ($crawl IS NULL OR crawl_id = $crawl)
    AND (($segment IS NULL AND segmentation = '(site)') OR $segment IN (segment, segmentation || ':' || segment))
    AND ($from IS NULL OR CAST(ended_at AT TIME ZONE 'UTC' AS DATE) >= $from)
    AND ($to IS NULL OR CAST(ended_at AT TIME ZONE 'UTC' AS DATE) < $to)
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, ended_at DESC NULLS LAST, crawl_id, segmentation, segment
