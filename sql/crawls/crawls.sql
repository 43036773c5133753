/*
name: mart.crawls
kind: view
description: >-
  One row a crawl: its record, the project it belongs to, what of it is loaded, and the crawl to compare it with.
  A crawl whose data are loaded without its record (the pipeline `crawls` not run) is here too, with NULLs; one that
  the service no longer lists is here with its last record while its data are loaded.
grain: [crawl_id]
columns:
  crawl_id: Identifier of the crawl (raw.crawls.id).
  project_id: Identifier of its project (raw.crawls.project_id).
  project_name: Name of its project (mart.projects.project_name); NULL where the project is not loaded.
  status: >-
    State of the crawl (raw.crawls.status): running, done, cancelled, terminating, pausing, paused, archiving,
    unarchiving, archived.
  end_reason: Why it ended (raw.crawls.end_reason), as in ok, max_url_reached, user_requested.
  is_partial: Whether it was ended by hand and left a partial report (end_reason is user_requested).
  created_at: When it was created, a point in time (raw.crawls.created_at, in milliseconds there).
  ended_at: When it ended, a point in time (raw.crawls.ended_at, in milliseconds there).
  fetched_urls: Number of URLs that it fetched (raw.crawls.fetched_urls).
  last_depth: Depth at which it ended, in clicks from the start URL (raw.crawls.last_depth).
  has_pages: Whether its pages are loaded (ops.loads, dataset crawl_pages).
  has_links: Whether its links are loaded (ops.loads, dataset crawl_links).
  has_clusters: Whether its clusters of similar pages are loaded (ops.loads, dataset crawl_clusters).
  has_structured_data: Whether its structured data are loaded (ops.loads, dataset crawl_structured_data).
  is_latest: Whether no crawl of its project that has pages or links loaded ended later.
  previous_crawl_id: >-
    The crawl before it in its project, by end and then by crawl_id, among those whose pages are loaded. NULL for
    the first one, and for a crawl whose own pages are not loaded or whose end is not known.
reads:
  raw.crawls:
    id: VARCHAR
    project_id: VARCHAR
    status: VARCHAR
    end_reason: VARCHAR
    created_at: BIGINT
    ended_at: BIGINT
    fetched_urls: BIGINT
    last_depth: BIGINT
    _seen_to: TIMESTAMP WITH TIME ZONE
    _loaded_at: TIMESTAMP WITH TIME ZONE
  ops.loads:
    dataset: VARCHAR
    source_kind: VARCHAR
    source_id: VARCHAR
    project_id: VARCHAR
*/
WITH
  -- The present record of each crawl, or the last one. Two workspaces may list the same crawl.
  record AS (
    FROM raw.crawls
    QUALIFY row_number() OVER (PARTITION BY id ORDER BY _seen_to DESC NULLS FIRST, _loaded_at DESC) = 1
  ),

  loaded AS (
    SELECT
      source_id AS crawl_id,
      max(project_id) AS project_id,
      bool_or(dataset = 'crawl_pages') AS has_pages,
      bool_or(dataset = 'crawl_links') AS has_links,
      bool_or(dataset = 'crawl_clusters') AS has_clusters,
      bool_or(dataset = 'crawl_structured_data') AS has_structured_data
    FROM ops.loads
    WHERE source_kind = 'crawl'
    GROUP BY source_id
  ),

  crawl AS (
    SELECT
      coalesce(record.id, loaded.crawl_id) AS crawl_id,
      coalesce(record.project_id, loaded.project_id) AS project_id,
      record.status,
      record.end_reason,
      record.end_reason = 'user_requested' AS is_partial,
      make_timestamptz(record.created_at::BIGINT * 1000) AS created_at,
      make_timestamptz(record.ended_at::BIGINT * 1000) AS ended_at,
      record.fetched_urls,
      record.last_depth,
      coalesce(loaded.has_pages, false) AS has_pages,
      coalesce(loaded.has_links, false) AS has_links,
      coalesce(loaded.has_clusters, false) AS has_clusters,
      coalesce(loaded.has_structured_data, false) AS has_structured_data
    FROM record
    FULL JOIN loaded ON loaded.crawl_id = record.id
    WHERE record._seen_to IS NULL OR loaded.crawl_id IS NOT NULL
  ),

  latest AS (
    SELECT crawl_id
    FROM crawl
    WHERE has_pages OR has_links
    QUALIFY row_number() OVER (
      PARTITION BY project_id ORDER BY ended_at DESC NULLS LAST, crawl_id DESC
    ) = 1
  ),

  compared AS (
    SELECT
      crawl_id,
      lag(crawl_id) OVER (PARTITION BY project_id ORDER BY ended_at, crawl_id) AS previous_crawl_id
    FROM crawl
    WHERE has_pages AND project_id IS NOT NULL AND ended_at IS NOT NULL
  )

SELECT
  crawl.crawl_id,
  crawl.project_id,
  projects.project_name,
  crawl.status,
  crawl.end_reason,
  crawl.is_partial,
  crawl.created_at,
  crawl.ended_at,
  crawl.fetched_urls,
  crawl.last_depth,
  crawl.has_pages,
  crawl.has_links,
  crawl.has_clusters,
  crawl.has_structured_data,
  latest.crawl_id IS NOT NULL AS is_latest,
  compared.previous_crawl_id
FROM crawl
LEFT JOIN mart.projects AS projects ON projects.project_id = crawl.project_id
LEFT JOIN latest ON latest.crawl_id = crawl.crawl_id
LEFT JOIN compared ON compared.crawl_id = crawl.crawl_id
