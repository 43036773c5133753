/*
name: mart.issue_sources
kind: table
description: >-
  The inputs of a crawl's issues, one row for each part: the crawl's loads, its days and their loads, the earlier
  crawls, and the records of the crawl and its project. crawlhouse builds mart.page_issues and the tables that count it
  again for crawls whose rows changed.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  source: Name of the part.
  loaded_at: When the part was last loaded, a point in time; NULL for a part that has no loads of its own.
reads:
  ops.loads:
    unit: VARCHAR
    dataset: VARCHAR
    source_id: VARCHAR
    window_from: VARCHAR
    window_to: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
*/
WITH
  days AS (
    SELECT crawl_id, project_id, kind, from_date, to_date, count(*) AS days
    FROM mart.crawl_days
    WHERE crawl_id IS NOT NULL
    GROUP BY crawl_id, project_id, kind, from_date, to_date
  ),

  read_crawl AS (
    SELECT crawls.crawl_id, crawls.project_id, crawls.crawl_config_id, crawls.crawl_number, max(loads.loaded_at) AS loaded_at
    FROM mart.crawls AS crawls
    JOIN ops.loads AS loads ON loads.source_id = crawls.crawl_id
    WHERE loads.dataset = 'crawl_pages'
    GROUP BY crawls.crawl_id, crawls.project_id, crawls.crawl_config_id, crawls.crawl_number
  )

SELECT source_id AS crawl_id, unit AS source, loaded_at
FROM ops.loads
WHERE dataset IN ('crawl_pages', 'crawl_links', 'crawl_structured_data', 'crawl_requests')

UNION ALL
SELECT days.crawl_id, loads.unit, loads.loaded_at
FROM days
JOIN ops.loads AS loads
  ON loads.source_id = days.project_id
  AND CAST(loads.window_from AS DATE) <= days.to_date
  AND CAST(loads.window_to AS DATE) > days.from_date
WHERE loads.dataset IN ('ranking_performance', 'log_events', 'log_pages_days')
  AND (loads.dataset = 'ranking_performance') = (days.kind = 'search')

-- The days of a crawl also depend on the crawls around it, and empty days count.
UNION ALL
SELECT
  crawl_id,
  kind || ' days ' || CAST(from_date AS VARCHAR) || ' ' || CAST(to_date AS VARCHAR) || ' ' || CAST(days AS VARCHAR),
  CAST(NULL AS TIMESTAMP WITH TIME ZONE)
FROM days

-- A change of a page depends on the previous crawls and on those that they are compared with.
UNION ALL
SELECT
  crawl_id,
  CAST(count(*) OVER earlier AS VARCHAR) || ' earlier crawls',
  max(loaded_at) OVER earlier
FROM read_crawl
WINDOW earlier AS (
  PARTITION BY project_id, crawl_config_id ORDER BY crawl_number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
)

-- Hits are judged by the crawl whose state applies to their day.
UNION ALL
SELECT DISTINCT crawls.crawl_id, loads.unit || ' from ' || coalesce(CAST(states.from_date AS VARCHAR), ''), loads.loaded_at
FROM mart.crawls AS crawls
JOIN days ON days.crawl_id = crawls.crawl_id AND days.kind = 'logs'
JOIN mart.crawl_states AS states
  ON states.project_id = crawls.project_id
  AND states.crawl_config_id IS NOT DISTINCT FROM crawls.crawl_config_id
  AND coalesce(states.from_date <= days.to_date, true)
  AND coalesce(states.to_date >= days.from_date, true)
JOIN ops.loads AS loads ON loads.source_id = states.crawl_id
WHERE crawls.is_latest AND loads.dataset = 'crawl_pages'

-- Search results and log files count only in the latest crawl of a configuration. No link leads to a start page. The
-- settings of issues may name a project.
UNION ALL
SELECT
  crawls.crawl_id,
  'crawl ' || coalesce(CAST(crawls.is_latest AS VARCHAR), '') || ' ' || coalesce(CAST(crawls.has_all_links AS VARCHAR), '') || ' '
    || coalesce(CAST(crawls.has_all_sitemaps AS VARCHAR), '') || ' ' || coalesce(projects.start_url, '') || ' '
    || coalesce(projects.project_name, ''),
  CAST(NULL AS TIMESTAMP WITH TIME ZONE)
FROM mart.crawls AS crawls
LEFT JOIN mart.projects AS projects ON projects.project_id = crawls.project_id
WHERE crawls.has_pages
