/*
name: mart.crawl_kpis
kind: view
description: >-
  The figures of each crawl and segment (mart.crawl_segments), and how each changed since the crawl before
  (mart.crawls.previous_crawl_id). A change is NULL for a crawl that has none before it, where one of the two figures is
  NULL, and for a segment that the crawl before did not have; the change of the number of pages is then that number.
  Clicks, impressions and bot hits depend on days. Their changes are NULL, with the reason beside them, where the two
  crawls have different numbers of days.
  What makes segments unique makes these rows unique, so it is tested in mart.crawl_segments alone.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  project_name: Name of its project (mart.crawls.project_name).
  crawl_config_name: Name of its crawl configuration (mart.crawls.crawl_config_name).
  crawl_number: Number of the crawl within project and configuration (mart.crawls.crawl_number).
  ended_at: When it ended, a point in time (mart.crawls.ended_at).
  is_main: Whether questions about the project answer for it (mart.crawls.is_main).
  previous_crawl_id: Identifier of the crawl before it (mart.crawls.previous_crawl_id).
  segmentation: (site), (directory) or the name of a segmentation of the project's own.
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
  ranking_days: See mart.crawl_segments.ranking_days.
  log_days: See mart.crawl_segments.log_days.
  pages_change: pages less that of the crawl before; all pages for a segment that it did not have.
  indexable_pages_change: indexable_pages less that of the crawl before.
  error_pages_change: error_pages less that of the crawl before.
  redirect_pages_change: redirect_pages less that of the crawl before.
  average_depth_change: average_depth less that of the crawl before.
  average_load_time_change: average_load_time less that of the crawl before.
  average_word_count_change: average_word_count less that of the crawl before.
  duplicate_pages_change: duplicate_pages less that of the crawl before.
  orphan_pages_change: orphan_pages less that of the crawl before.
  clicks_change: clicks less that of the crawl before, over as many days.
  clicks_change_reason: Why there is no clicks_change, where the crawl before has another number of days.
  impressions_change: impressions less that of the crawl before, over as many days.
  impressions_change_reason: Why there is no impressions_change, where the crawl before has another number of days.
  search_bot_hits_change: search_bot_hits less that of the crawl before, over as many days.
  search_bot_hits_change_reason: >-
    Why there is no search_bot_hits_change, where the crawl before has another number of days.
*/
SELECT
  now.crawl_id,
  now.project_id,
  crawls.project_name,
  crawls.crawl_config_name,
  crawls.crawl_number,
  crawls.ended_at,
  crawls.is_main,
  crawls.previous_crawl_id,
  now.segmentation,
  now.segment,
  now.pages,
  now.indexable_pages,
  now.error_pages,
  now.redirect_pages,
  now.average_depth,
  now.average_load_time,
  now.average_word_count,
  now.duplicate_pages,
  now.orphan_pages,
  now.clicks,
  now.impressions,
  now.search_bot_hits,
  now.ranking_days,
  now.log_days,
  CASE WHEN crawls.previous_crawl_id IS NOT NULL THEN now.pages - coalesce(former.pages, 0) END AS pages_change,
  now.indexable_pages - former.indexable_pages AS indexable_pages_change,
  now.error_pages - former.error_pages AS error_pages_change,
  now.redirect_pages - former.redirect_pages AS redirect_pages_change,
  now.average_depth - former.average_depth AS average_depth_change,
  now.average_load_time - former.average_load_time AS average_load_time_change,
  now.average_word_count - former.average_word_count AS average_word_count_change,
  now.duplicate_pages - former.duplicate_pages AS duplicate_pages_change,
  now.orphan_pages - former.orphan_pages AS orphan_pages_change,
  CASE WHEN now.ranking_days = former.ranking_days THEN now.clicks - former.clicks END AS clicks_change,
  CASE WHEN now.ranking_days <> former.ranking_days
    THEN 'days with search results: ' || CAST(now.ranking_days AS VARCHAR) || ', of the crawl before: '
      || CAST(former.ranking_days AS VARCHAR)
  END AS clicks_change_reason,
  CASE WHEN now.ranking_days = former.ranking_days THEN now.impressions - former.impressions END AS impressions_change,
  CASE WHEN now.ranking_days <> former.ranking_days
    THEN 'days with search results: ' || CAST(now.ranking_days AS VARCHAR) || ', of the crawl before: '
      || CAST(former.ranking_days AS VARCHAR)
  END AS impressions_change_reason,
  CASE WHEN now.log_days = former.log_days THEN now.search_bot_hits - former.search_bot_hits END
    AS search_bot_hits_change,
  CASE WHEN now.log_days <> former.log_days
    THEN 'days with log files: ' || CAST(now.log_days AS VARCHAR) || ', of the crawl before: '
      || CAST(former.log_days AS VARCHAR)
  END AS search_bot_hits_change_reason
FROM mart.crawl_segments AS now
LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = now.crawl_id
LEFT JOIN mart.crawl_segments AS former
  ON former.crawl_id = crawls.previous_crawl_id
  AND former.segmentation = now.segmentation
  AND former.segment = now.segment
