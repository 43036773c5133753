/*
name: mart.crawl_segments
kind: table
description: >-
  The figures of each crawl, for the whole site, for each first directory, and for each segment of the project's own
  segmentations. A number of pages is NULL if the crawl does not have the value for any page. mart.crawl_kpis has the
  same figures with the change since the previous crawl.
grain: [crawl_id, segmentation, segment]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  segmentation: >-
    (site) for all pages, (directory) for the first directory, or the name of one of the project's own segmentations
    (mart.page_segments.segmentation), such as (filter) for saved filters.
  segment: The segment; (site) for all pages.
  pages: Number of pages.
  indexable_pages: Number of pages that a search engine may index (mart.pages.is_indexable).
  error_pages: Number of pages with an HTTP status of 400 to 599 (mart.pages.status_code).
  redirect_pages: Number of pages with an HTTP status of 300 to 399 (mart.pages.status_code).
  average_depth: Average depth in clicks from the start, of the pages that have one (mart.pages.depth).
  average_load_time: >-
    Average time to the last byte in milliseconds, of the pages with status 200 (mart.pages.load_time).
  average_word_count: Average number of words, of the pages with status 200 (mart.pages.word_count).
  duplicate_pages: >-
    Number of pages with status 200 whose title, H1, description or content is a duplicate that neither canonicals nor
    hreflang handle (mart.pages.has_duplicate_title_issue and similar columns).
  orphan_pages: >-
    Number of pages that no link of the structure leads to (mart.orphans); NULL if the crawl did not read all links or
    all sitemaps.
  clicks: >-
    Clicks in search results on these pages on the days that belong to the crawl; NULL if the search results of these
    days do not show them by page (mart.page_demand).
  impressions: Times that search results showed these pages on the same days.
  search_bot_hits: >-
    Requests of search engines for these pages on the days that belong to the crawl; NULL if the days have no log files,
    or the number is unknown for a page (mart.page_hits).
  all_clicks: >-
    Number of clicks on all URLs on the same days, including URLs outside of the crawl; the same for all segments.
  all_impressions: Number of impressions of all URLs on the same days; the same for all segments.
  all_search_bot_hits: >-
    Number of requests of search engine bots for all URLs on the same days; NULL if it is unknown for one URL.
  ranking_days: >-
    Number of days with search results that belong to the crawl, for totals, the number of days in their period; the
    same for all segments (mart.crawl_days).
  ranking_from_date: First day with search results that belongs to the crawl (mart.crawl_days.from_date).
  ranking_to_date: Last of these days.
  log_days: Number of days with log files that belong to the crawl, the same for all segments (mart.crawl_days).
  log_from_date: First day with log files that belongs to the crawl (mart.crawl_days.from_date).
  log_to_date: Last of these days.
reads:
  ops.loads:
    unit: VARCHAR
    dataset: VARCHAR
    source_id: VARCHAR
    window_from: VARCHAR
    window_to: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.pages, mart.page_segments, mart.page_demand, mart.page_hits, mart.orphans, mart.crawl_days]
  partitions: |
    SELECT
      crawls.crawl_id, CAST(NULL AS DATE) AS from_date, CAST(NULL AS DATE) AS to_date, projects.start_url,
      projects.project_name, crawls.has_all_links, crawls.has_all_sitemaps, loads.unit, loads.loaded_at
    FROM mart.crawls AS crawls
    LEFT JOIN mart.projects AS projects ON projects.project_id = crawls.project_id
    JOIN ops.loads AS loads ON loads.source_id = crawls.crawl_id
    WHERE crawls.has_pages AND loads.dataset = 'crawl_pages'
    UNION ALL
    SELECT days.crawl_id, days.from_date, days.to_date, NULL, NULL, NULL, NULL, loads.unit, loads.loaded_at
    FROM (
      SELECT DISTINCT project_id, crawl_id, kind, from_date, to_date FROM mart.crawl_days WHERE crawl_id IS NOT NULL
    ) AS days
    JOIN ops.loads AS loads
      ON loads.source_id = days.project_id
      AND CAST(loads.window_from AS DATE) <= days.to_date
      AND CAST(loads.window_to AS DATE) > days.from_date
    WHERE loads.dataset IN ('log_events', 'log_pages_days', 'ranking_performance')
      AND (loads.dataset = 'ranking_performance') = (days.kind = 'search')
    UNION ALL
    -- Which empty days count also depends on the days around them.
    SELECT
      days.crawl_id, days.from_date, days.to_date, NULL, NULL, NULL, NULL, days.kind || ' days ' || CAST(count(*) AS VARCHAR), NULL
    FROM mart.crawl_days AS days
    WHERE days.crawl_id IS NOT NULL
    GROUP BY days.crawl_id, days.kind, days.from_date, days.to_date
*/
WITH
  page AS (
    SELECT
      pages.crawl_id,
      pages.project_id,
      pages.url,
      pages.url_first_path,
      pages.status_code,
      pages.is_indexable,
      pages.depth,
      CASE
        WHEN coalesce(crawls.has_all_links, true) AND coalesce(crawls.has_all_sitemaps, true)
          THEN coalesce(pages.depth, pages.nb_inlinks)
      END AS linked,
      CASE WHEN pages.status_code = 200 THEN pages.load_time END AS load_time,
      CASE WHEN pages.status_code = 200 THEN pages.word_count END AS word_count,
      CASE WHEN pages.status_code IS NOT NULL THEN coalesce(
        pages.has_duplicate_title_issue, pages.has_duplicate_h1_issue, pages.has_duplicate_description_issue,
        pages.has_nearduplicate_issue
      ) END AS duplicates,
      pages.status_code = 200 AND (
        pages.has_duplicate_title_issue
        OR pages.has_duplicate_h1_issue
        OR pages.has_duplicate_description_issue
        OR pages.has_nearduplicate_issue
      ) AS is_duplicate,
      orphans.url IS NOT NULL AS is_orphan,
      demand.clicks,
      demand.impressions,
      hits.search_bot_hits,
      hits.url IS NOT NULL AND hits.search_bot_hits IS NULL AS has_unknown_hits
    FROM mart.pages AS pages
    LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id
    LEFT JOIN mart.orphans AS orphans ON orphans.crawl_id = pages.crawl_id AND orphans.url = pages.url
    LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
    LEFT JOIN mart.page_hits AS hits ON hits.crawl_id = pages.crawl_id AND hits.url = pages.url
  ),

  -- What the crawl says anything about.
  known AS (
    SELECT
      crawl_id,
      -- Without any status, only non-indexable pages are known.
      CASE
        WHEN count(status_code) > 0 OR count(CASE WHEN is_indexable THEN 1 END) > 0 OR count(is_indexable) = count(*)
          THEN count(is_indexable)
        ELSE 0
      END AS indexable,
      count(status_code) AS status,
      count(linked) AS linked,
      count(duplicates) AS duplicates
    FROM page
    GROUP BY crawl_id
  ),

  days AS (
    SELECT
      crawl_id,
      count(CASE WHEN kind = 'logs' THEN 1 END) AS log_days,
      min(CASE WHEN kind = 'logs' THEN from_date END) AS log_from_date,
      max(CASE WHEN kind = 'logs' THEN to_date END) AS log_to_date,
      min(CASE WHEN kind = 'search' THEN from_date END) AS ranking_from_date,
      max(CASE WHEN kind = 'search' THEN to_date END) AS ranking_to_date,
      CAST(
        coalesce(
          sum(
            CASE
              WHEN dataset = 'ranking_periods' THEN date_diff('day', from_date, to_date) + 1
              WHEN kind = 'search' THEN 1
            END
          ),
          0
        ) AS BIGINT
      ) AS ranking_days
    FROM mart.crawl_days
    WHERE crawl_id IS NOT NULL
    GROUP BY crawl_id
  ),

  shown AS (
    SELECT crawl_id, CAST(sum(clicks) AS BIGINT) AS clicks, CAST(sum(impressions) AS BIGINT) AS impressions
    FROM mart.page_demand
    WHERE crawl_id IS NOT NULL
    GROUP BY crawl_id
  ),

  asked AS (
    SELECT
      crawl_id,
      CASE WHEN count(search_bot_hits) = count(*) THEN CAST(sum(search_bot_hits) AS BIGINT) END AS search_bot_hits
    FROM mart.page_hits
    WHERE crawl_id IS NOT NULL
    GROUP BY crawl_id
  ),

  placed AS (
    SELECT '(site)' AS segmentation, '(site)' AS segment, page.*
    FROM page

    UNION ALL
    SELECT '(directory)', page.url_first_path, page.*
    FROM page
    WHERE page.url_first_path IS NOT NULL

    UNION ALL
    SELECT segments.segmentation, segments.segment, page.*
    FROM page
    JOIN mart.page_segments AS segments ON segments.crawl_id = page.crawl_id AND segments.url = page.url
    WHERE segments.segment IS NOT NULL
  ),

  counted AS (
    SELECT
      crawl_id,
      project_id,
      segmentation,
      segment,
      count(*) AS pages,
      count(CASE WHEN is_indexable THEN 1 END) AS indexable_pages,
      count(CASE WHEN status_code BETWEEN 400 AND 599 THEN 1 END) AS error_pages,
      count(CASE WHEN status_code BETWEEN 300 AND 399 THEN 1 END) AS redirect_pages,
      avg(depth) AS average_depth,
      avg(load_time) AS average_load_time,
      avg(word_count) AS average_word_count,
      count(CASE WHEN is_duplicate THEN 1 END) AS duplicate_pages,
      count(CASE WHEN is_orphan THEN 1 END) AS orphan_pages,
      CAST(coalesce(sum(clicks), 0) AS BIGINT) AS clicks,
      CAST(coalesce(sum(impressions), 0) AS BIGINT) AS impressions,
      CAST(coalesce(sum(search_bot_hits), 0) AS BIGINT) AS search_bot_hits,
      count(CASE WHEN has_unknown_hits THEN 1 END) AS unknown_hits
    FROM placed
    GROUP BY crawl_id, project_id, segmentation, segment
  )

SELECT
  counted.crawl_id,
  counted.project_id,
  counted.segmentation,
  counted.segment,
  counted.pages,
  CASE WHEN known.indexable > 0 THEN counted.indexable_pages END AS indexable_pages,
  CASE WHEN known.status > 0 THEN counted.error_pages END AS error_pages,
  CASE WHEN known.status > 0 THEN counted.redirect_pages END AS redirect_pages,
  counted.average_depth,
  counted.average_load_time,
  counted.average_word_count,
  CASE WHEN known.duplicates > 0 THEN counted.duplicate_pages END AS duplicate_pages,
  CASE WHEN known.linked > 0 THEN counted.orphan_pages END AS orphan_pages,
  CASE WHEN shown.crawl_id IS NOT NULL THEN counted.clicks END AS clicks,
  CASE WHEN shown.crawl_id IS NOT NULL THEN counted.impressions END AS impressions,
  CASE WHEN days.log_days > 0 AND counted.unknown_hits = 0 THEN counted.search_bot_hits END AS search_bot_hits,
  shown.clicks AS all_clicks,
  shown.impressions AS all_impressions,
  CASE WHEN days.log_days > 0 THEN CASE WHEN asked.crawl_id IS NULL THEN 0 ELSE asked.search_bot_hits END END
    AS all_search_bot_hits,
  coalesce(days.ranking_days, 0) AS ranking_days,
  days.ranking_from_date,
  days.ranking_to_date,
  coalesce(days.log_days, 0) AS log_days,
  days.log_from_date,
  days.log_to_date
FROM counted
JOIN known ON known.crawl_id = counted.crawl_id
LEFT JOIN shown ON shown.crawl_id = counted.crawl_id
LEFT JOIN asked ON asked.crawl_id = counted.crawl_id
LEFT JOIN days ON days.crawl_id = counted.crawl_id
