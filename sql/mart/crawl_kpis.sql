/*
name: mart.crawl_kpis
kind: view
description: >-
  The figures of each crawl and segment (mart.crawl_segments), and their changes since the previous crawl
  (mart.crawls.previous_crawl_id). A change is NULL without a previous crawl, if one of the two figures is NULL, and for
  a segment that the previous crawl did not have; in that case, the change of the number of pages is that number.
  Clicks, impressions and bot hits depend on days. Their changes are NULL, with the reason, if the two crawls have
  different numbers of days, or the same days. The test of mart.crawl_segments also proves that these rows are unique.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  project_name: Name of its project (mart.crawls.project_name).
  crawl_config_name: Name of its crawl configuration (mart.crawls.crawl_config_name).
  crawl_number: Number of the crawl within project and configuration (mart.crawls.crawl_number).
  ended_at: When the crawl ended, a point in time (mart.crawls.ended_at).
  is_main: Whether questions about the project use this crawl (mart.crawls.is_main).
  previous_crawl_id: Identifier of the previous crawl (mart.crawls.previous_crawl_id).
  segmentation: (site), (directory) or the name of one of the project's own segmentations.
  segment: The segment.
  pages: See mart.crawl_segments.pages.
  indexable_pages: See mart.crawl_segments.indexable_pages.
  error_pages: See mart.crawl_segments.error_pages.
  redirect_pages: See mart.crawl_segments.redirect_pages.
  average_depth: See mart.crawl_segments.average_depth.
  average_load_time: See mart.crawl_segments.average_load_time.
  average_word_count: See mart.crawl_segments.average_word_count.
  duplicate_pages: See mart.crawl_segments.duplicate_pages.
  orphan_pages: See mart.crawl_segments.orphan_pages.
  clicks: See mart.crawl_segments.clicks.
  impressions: See mart.crawl_segments.impressions.
  search_bot_hits: See mart.crawl_segments.search_bot_hits.
  all_clicks: See mart.crawl_segments.all_clicks.
  all_impressions: See mart.crawl_segments.all_impressions.
  all_search_bot_hits: See mart.crawl_segments.all_search_bot_hits.
  ranking_days: See mart.crawl_segments.ranking_days.
  ranking_from_date: See mart.crawl_segments.ranking_from_date.
  ranking_to_date: See mart.crawl_segments.ranking_to_date.
  log_days: See mart.crawl_segments.log_days.
  log_from_date: See mart.crawl_segments.log_from_date.
  log_to_date: See mart.crawl_segments.log_to_date.
  pages_change: Change of pages since the previous crawl; all pages for a segment that it did not have.
  indexable_pages_change: Change of indexable_pages since the previous crawl.
  error_pages_change: Change of error_pages since the previous crawl.
  redirect_pages_change: Change of redirect_pages since the previous crawl.
  average_depth_change: Change of average_depth since the previous crawl.
  average_load_time_change: Change of average_load_time since the previous crawl.
  average_word_count_change: Change of average_word_count since the previous crawl.
  duplicate_pages_change: Change of duplicate_pages since the previous crawl.
  orphan_pages_change: Change of orphan_pages since the previous crawl.
  clicks_change: Change of clicks since the previous crawl, over the same number of days.
  clicks_change_reason: >-
    Why there is no clicks_change, if the previous crawl has a different number of days, or the same days.
  impressions_change: Change of impressions since the previous crawl, over the same number of days.
  impressions_change_reason: Why there is no impressions_change, as for clicks.
  search_bot_hits_change: Change of search_bot_hits since the previous crawl, over the same number of days.
  search_bot_hits_change_reason: >-
    Why there is no search_bot_hits_change, if the previous crawl has a different number of days, or the same days.
*/
WITH
  pair AS (
    SELECT
      now.*,
      crawls.project_name,
      crawls.crawl_config_name,
      crawls.crawl_number,
      crawls.ended_at,
      crawls.is_main,
      crawls.previous_crawl_id,
      former.pages AS former_pages,
      former.indexable_pages AS former_indexable_pages,
      former.error_pages AS former_error_pages,
      former.redirect_pages AS former_redirect_pages,
      former.average_depth AS former_average_depth,
      former.average_load_time AS former_average_load_time,
      former.average_word_count AS former_average_word_count,
      former.duplicate_pages AS former_duplicate_pages,
      former.orphan_pages AS former_orphan_pages,
      former.clicks AS former_clicks,
      former.impressions AS former_impressions,
      former.search_bot_hits AS former_search_bot_hits,
      CASE
        WHEN now.ranking_days <> former.ranking_days
          THEN 'days with search results: ' || CAST(now.ranking_days AS VARCHAR) || ', of the previous crawl: '
            || CAST(former.ranking_days AS VARCHAR)
        WHEN now.ranking_from_date = former.ranking_from_date AND now.ranking_to_date = former.ranking_to_date
          THEN 'the previous crawl has the same days, to ' || CAST(now.ranking_to_date AS VARCHAR)
      END AS ranking_reason,
      CASE
        WHEN now.log_days <> former.log_days
          THEN 'days with log files: ' || CAST(now.log_days AS VARCHAR) || ', of the previous crawl: '
            || CAST(former.log_days AS VARCHAR)
        WHEN now.log_to_date = former.log_to_date THEN 'the previous crawl has the same days, to ' || CAST(now.log_to_date AS VARCHAR)
      END AS log_reason
    FROM mart.crawl_segments AS now
    LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = now.crawl_id
    LEFT JOIN mart.crawl_segments AS former
      ON former.crawl_id = crawls.previous_crawl_id
      AND former.segmentation = now.segmentation
      AND former.segment = now.segment
  )

SELECT
  crawl_id,
  project_id,
  project_name,
  crawl_config_name,
  crawl_number,
  ended_at,
  is_main,
  previous_crawl_id,
  segmentation,
  segment,
  pages,
  indexable_pages,
  error_pages,
  redirect_pages,
  average_depth,
  average_load_time,
  average_word_count,
  duplicate_pages,
  orphan_pages,
  clicks,
  impressions,
  search_bot_hits,
  all_clicks,
  all_impressions,
  all_search_bot_hits,
  ranking_days,
  ranking_from_date,
  ranking_to_date,
  log_days,
  log_from_date,
  log_to_date,
  CASE WHEN previous_crawl_id IS NOT NULL THEN pages - coalesce(former_pages, 0) END AS pages_change,
  indexable_pages - former_indexable_pages AS indexable_pages_change,
  error_pages - former_error_pages AS error_pages_change,
  redirect_pages - former_redirect_pages AS redirect_pages_change,
  average_depth - former_average_depth AS average_depth_change,
  average_load_time - former_average_load_time AS average_load_time_change,
  average_word_count - former_average_word_count AS average_word_count_change,
  duplicate_pages - former_duplicate_pages AS duplicate_pages_change,
  orphan_pages - former_orphan_pages AS orphan_pages_change,
  CASE WHEN ranking_reason IS NULL THEN clicks - former_clicks END AS clicks_change,
  ranking_reason AS clicks_change_reason,
  CASE WHEN ranking_reason IS NULL THEN impressions - former_impressions END AS impressions_change,
  ranking_reason AS impressions_change_reason,
  CASE WHEN log_reason IS NULL THEN search_bot_hits - former_search_bot_hits END AS search_bot_hits_change,
  log_reason AS search_bot_hits_change_reason
FROM pair
