/*
name: mart.crawls
kind: view
materialize: table
description: >-
  One row a crawl: its record, its project and configuration, what of it is loaded, and the crawl to compare it with.
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
  is_complete: >-
    Whether it reached all that its configuration asks for: its end_reason is ok, max_depth_reached or not known, and
    its status is not that of a crawl still open or cancelled.
  crawl_config_id: Identifier of its configuration; NULL where its record is not loaded (raw.crawls.crawl_config).
  crawl_config_name: Name of that configuration (raw.crawls.crawl_config).
  agent_kind: Crawler of that configuration, web or mobile (raw.crawls.crawl_config).
  created_at: When it was created, a point in time (raw.crawls.created_at, in milliseconds there).
  ended_at: When it ended, a point in time (raw.crawls.ended_at, in milliseconds there).
  fetched_urls: Number of URLs that it fetched (raw.crawls.fetched_urls).
  last_depth: Depth at which it ended, in clicks from the start URL (raw.crawls.last_depth).
  has_pages: Whether its pages are loaded (ops.loads, dataset crawl_pages).
  has_links: Whether its links are loaded (ops.loads, dataset crawl_links).
  has_clusters: Whether its clusters of similar pages are loaded (ops.loads, dataset crawl_clusters).
  has_structured_data: Whether its structured data are loaded (ops.loads, dataset crawl_structured_data).
  pages: Number of pages loaded of it (ops.loads.loaded, dataset crawl_pages); NULL where its pages are not loaded.
  is_latest: >-
    Whether it is the last complete crawl of its project and configuration that has pages, and links where the crawl
    before has links. Where none is complete, the last one with pages.
  is_main: >-
    Whether it is the latest crawl of the project's main configuration: of the latest crawls, complete ones first, the
    one with the most pages. Questions about a project answer for this crawl.
  is_in_trends: >-
    Whether charts over time have it: its pages are loaded, and it ended no later than the latest crawl of its project and
    configuration. One that is not complete has fewer pages than the website, and is left out unless the latest is not
    complete either.
  crawl_number: >-
    1 for the first crawl of its project and configuration that ended, by end and then by crawl_id, 2 for the next;
    NULL where its end is not known.
  previous_crawl_id: >-
    The crawl before it in its project and configuration, by end and then by crawl_id, among complete crawls that
    have pages. NULL for the first of these, and for a crawl that is none of them or whose end is not known.
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
    crawl_config: JSON
    _seen_to: TIMESTAMP WITH TIME ZONE
    _loaded_at: TIMESTAMP WITH TIME ZONE
  ops.loads:
    dataset: VARCHAR
    source_kind: VARCHAR
    source_id: VARCHAR
    project_id: VARCHAR
    loaded: BIGINT
*/
WITH
  -- The present record of each crawl, or the last one. Two workspaces may list the same crawl.
  record AS (
    SELECT *
    FROM (
      SELECT
        *,
        row_number() OVER (PARTITION BY id ORDER BY _seen_to DESC NULLS FIRST, _loaded_at DESC) AS place
      FROM raw.crawls
    ) AS records
    WHERE place = 1
  ),

  loaded AS (
    SELECT
      source_id AS crawl_id,
      max(project_id) AS project_id,
      bool_or(dataset = 'crawl_pages') AS has_pages,
      bool_or(dataset = 'crawl_links') AS has_links,
      bool_or(dataset = 'crawl_clusters') AS has_clusters,
      bool_or(dataset = 'crawl_structured_data') AS has_structured_data,
      CAST(sum(CASE WHEN dataset = 'crawl_pages' THEN loaded END) AS BIGINT) AS pages
    FROM ops.loads
    WHERE source_kind = 'crawl'
    GROUP BY source_id
  ),

  crawl AS (
    SELECT
      coalesce(record.id, loaded.crawl_id) AS crawl_id,
      coalesce(record.project_id, loaded.project_id) AS project_id,
      json_extract_string(record.crawl_config, '$.id') AS crawl_config_id,
      json_extract_string(record.crawl_config, '$.name') AS crawl_config_name,
      json_extract_string(record.crawl_config, '$.agent_kind') AS agent_kind,
      record.status,
      record.end_reason,
      record.end_reason = 'user_requested' AS is_partial,
      coalesce(record.end_reason, 'ok') IN ('ok', 'max_depth_reached')
        AND coalesce(record.status, 'done') IN ('done', 'archiving', 'unarchiving', 'archived') AS is_complete,
      to_timestamp(CAST(record.created_at AS DOUBLE) / 1000) AS created_at,
      to_timestamp(CAST(record.ended_at AS DOUBLE) / 1000) AS ended_at,
      record.fetched_urls,
      record.last_depth,
      coalesce(loaded.has_pages, false) AS has_pages,
      coalesce(loaded.has_links, false) AS has_links,
      coalesce(loaded.has_clusters, false) AS has_clusters,
      coalesce(loaded.has_structured_data, false) AS has_structured_data,
      loaded.pages
    FROM record
    FULL JOIN loaded ON loaded.crawl_id = record.id
    WHERE record._seen_to IS NULL OR loaded.crawl_id IS NOT NULL
  ),

  -- Crawls that ended and have rows. A load that does not say how much it was counts as one that has rows.
  usable AS (
    SELECT
      *,
      lag(has_links) OVER (
        PARTITION BY project_id, crawl_config_id ORDER BY ended_at NULLS FIRST, crawl_id
      ) AS had_links
    FROM crawl
    WHERE has_pages
      AND coalesce(pages, 1) > 0
      AND coalesce(status, 'done') IN ('done', 'archiving', 'unarchiving', 'archived')
  ),

  -- What others are compared with.
  whole AS (
    SELECT *
    FROM usable
    WHERE is_complete
  ),

  latest AS (
    SELECT
      crawl_id,
      project_id,
      crawl_config_id,
      is_complete,
      ended_at,
      row_number() OVER (
        PARTITION BY project_id
        ORDER BY CASE WHEN is_complete THEN 0 ELSE 1 END, pages DESC NULLS LAST, ended_at DESC NULLS LAST, crawl_id DESC
      ) AS place_in_project
    FROM (
      SELECT
        *,
        row_number() OVER (
          PARTITION BY project_id, crawl_config_id
          ORDER BY CASE WHEN is_complete THEN 0 ELSE 1 END, ended_at DESC NULLS LAST, crawl_id DESC
        ) AS place
      FROM usable
      WHERE has_links OR NOT coalesce(had_links, false)
    ) AS ranked
    WHERE place = 1
  ),

  numbered AS (
    SELECT
      crawl_id,
      row_number() OVER (PARTITION BY project_id, crawl_config_id ORDER BY ended_at, crawl_id) AS crawl_number
    FROM crawl
    WHERE ended_at IS NOT NULL
  ),

  compared AS (
    SELECT
      crawl_id,
      lag(crawl_id) OVER (
        PARTITION BY project_id, crawl_config_id ORDER BY ended_at, crawl_id
      ) AS previous_crawl_id
    FROM whole
    WHERE project_id IS NOT NULL AND ended_at IS NOT NULL
  )

SELECT
  crawl.crawl_id,
  crawl.project_id,
  projects.project_name,
  crawl.crawl_config_id,
  crawl.crawl_config_name,
  crawl.agent_kind,
  crawl.status,
  crawl.end_reason,
  crawl.is_partial,
  crawl.is_complete,
  crawl.created_at,
  crawl.ended_at,
  crawl.fetched_urls,
  crawl.last_depth,
  crawl.has_pages,
  crawl.has_links,
  crawl.has_clusters,
  crawl.has_structured_data,
  crawl.pages,
  latest.crawl_id IS NOT NULL AS is_latest,
  coalesce(latest.place_in_project = 1, false) AS is_main,
  crawl.has_pages
    AND coalesce(crawl.ended_at <= newest.ended_at AND (crawl.is_complete OR NOT newest.is_complete), false)
    AS is_in_trends,
  numbered.crawl_number,
  compared.previous_crawl_id
FROM crawl
LEFT JOIN mart.projects AS projects ON projects.project_id = crawl.project_id
LEFT JOIN latest ON latest.crawl_id = crawl.crawl_id
LEFT JOIN latest AS newest
  ON newest.project_id = crawl.project_id
  AND newest.crawl_config_id IS NOT DISTINCT FROM crawl.crawl_config_id
LEFT JOIN numbered ON numbered.crawl_id = crawl.crawl_id
LEFT JOIN compared ON compared.crawl_id = crawl.crawl_id
