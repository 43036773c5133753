/*
name: mart.crawls
kind: view
materialize: table
description: >-
  One row for each crawl, with its record, its project and configuration, its loaded data, and the crawl to compare it
  with. A crawl with loaded data but without a record (the pipeline `crawls` has not run) has NULLs. A crawl that the
  service no longer lists keeps its last record while its data are loaded.
grain: [crawl_id]
columns:
  crawl_id: Identifier of the crawl (raw.crawls.id).
  project_id: Identifier of its project (raw.crawls.project_id).
  project_name: Name of its project (mart.projects.project_name); NULL if the project is not loaded.
  status: >-
    State of the crawl (raw.crawls.status): running, done, cancelled, terminating, pausing, paused, archiving,
    unarchiving, archived.
  end_reason: Why the crawl ended (raw.crawls.end_reason), such as ok, max_url_reached or user_requested.
  is_partial: Whether a user ended the crawl, which left a partial report (end_reason is user_requested).
  is_complete: >-
    Whether the crawl requested all pages that links lead to: its end_reason is ok or unknown, and its status is not
    that of a crawl still open or cancelled.
  is_comparable: >-
    Whether other crawls of its configuration may be compared with it: it is complete, or ended by the limit of depth
    (max_depth_reached), which cuts each crawl of a configuration at the same depth.
  is_list: Whether the crawl is of a list of URLs (mart.crawl_coverage.is_list); NULL if its pages are not loaded.
  has_all_links: >-
    Whether it read the links of the whole website: it is complete and no list, fewer than 5 pages, or at most 1 % of
    the pages, were refused or unreadable, and the website is no application that was not rendered. NULL if its pages
    are not loaded.
  has_all_sitemaps: >-
    Whether it read all sitemaps that it knows; NULL if the crawl does not report its sitemaps.
  scope_note: >-
    Which part of the website the crawl did not read, and why, as sentences; NULL if it read the whole website.
  crawl_config_id: Identifier of its configuration; NULL if its record is not loaded (raw.crawls.crawl_config).
  crawl_config_name: Name of that configuration (raw.crawls.crawl_config).
  agent_kind: Crawler type of that configuration, web or mobile (raw.crawls.crawl_config).
  created_at: When the crawl was created, a point in time (raw.crawls.created_at, in milliseconds there).
  ended_at: When the crawl ended, a point in time (raw.crawls.ended_at, in milliseconds there).
  fetched_urls: Number of URLs that the crawl fetched (raw.crawls.fetched_urls).
  last_depth: Depth at which it ended, in clicks from the start URL (raw.crawls.last_depth).
  has_pages: Whether its pages are loaded (ops.loads, dataset crawl_pages).
  has_links: Whether its links are loaded (ops.loads, dataset crawl_links).
  has_clusters: Whether its clusters of similar pages are loaded (ops.loads, dataset crawl_clusters).
  has_structured_data: Whether its structured data are loaded (ops.loads, dataset crawl_structured_data).
  pages: Number of its loaded pages (ops.loads.loaded, dataset crawl_pages); NULL if its pages are not loaded.
  is_latest: >-
    Whether it is the last comparable crawl of its project and configuration that has pages, and links where the
    previous crawl has links. Where none is comparable, the last one with pages.
  is_main: >-
    Whether it is the latest crawl of the project's main configuration: of the latest crawls, lists of URLs last and
    comparable ones first, the one with the most pages. Questions about a project use this crawl.
  is_in_trends: >-
    Whether charts over time include it: its pages are loaded, and it ended no later than the latest crawl of its
    project and configuration. A crawl that is not comparable has fewer pages than the website, and is excluded unless
    the latest one is not comparable either.
  crawl_number: >-
    1 for the first crawl of its project and configuration that ended, by end and then by crawl_id, 2 for the next; NULL
    if its end is unknown.
  previous_crawl_id: >-
    The previous crawl of its project and configuration, by end and then by crawl_id, among comparable crawls that have
    pages. NULL for the first of these crawls, for other crawls, and where the end is unknown.
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
  -- The present record of each crawl, or else the last one. Two workspaces may list the same crawl.
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
        AND coalesce(record.status, 'done') IN ('done', 'archiving', 'unarchiving', 'archived') AS is_comparable,
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

  -- Crawls that ended and have rows. A load without a row count counts as one with rows.
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

  -- The crawls that others are compared with.
  whole AS (
    SELECT *
    FROM usable
    WHERE is_comparable
  ),

  latest AS (
    SELECT
      ranked.crawl_id,
      ranked.project_id,
      ranked.crawl_config_id,
      ranked.is_comparable,
      ranked.ended_at,
      -- A list of URLs may have more pages than the website.
      row_number() OVER (
        PARTITION BY ranked.project_id
        ORDER BY
          CASE WHEN coverage.is_list THEN 1 ELSE 0 END,
          CASE WHEN ranked.is_comparable THEN 0 ELSE 1 END,
          ranked.pages DESC NULLS LAST,
          ranked.ended_at DESC NULLS LAST,
          ranked.crawl_id DESC
      ) AS place_in_project
    FROM (
      SELECT
        *,
        row_number() OVER (
          PARTITION BY project_id, crawl_config_id
          ORDER BY CASE WHEN is_comparable THEN 0 ELSE 1 END, ended_at DESC NULLS LAST, crawl_id DESC
        ) AS place
      FROM usable
      WHERE has_links OR NOT coalesce(had_links, false)
    ) AS ranked
    LEFT JOIN mart.crawl_coverage AS coverage ON coverage.crawl_id = ranked.crawl_id
    WHERE ranked.place = 1
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
  ),

  judged AS (
    SELECT
      crawl.*,
      crawl.is_comparable AND coalesce(crawl.end_reason, 'ok') <> 'max_depth_reached' AS is_complete,
      coverage.is_list,
      coverage.known_pages,
      coverage.is_app_shell,
      coverage.sitemaps,
      coverage.unread_sitemaps,
      coverage.refused_pages + coverage.unreadable_pages AS unread_pages,
      coverage.refused_pages + coverage.unreadable_pages >= 5
        AND 100 * (coverage.refused_pages + coverage.unreadable_pages) > coverage.known_pages AS is_disturbed
    FROM crawl
    LEFT JOIN mart.crawl_coverage AS coverage ON coverage.crawl_id = crawl.crawl_id
  ),

  covered AS (
    SELECT
      *,
      CASE WHEN is_list IS NOT NULL THEN is_complete AND NOT is_list AND NOT is_disturbed AND NOT is_app_shell END AS has_all_links,
      unread_sitemaps = 0 AS has_all_sitemaps,
      nullif(
        trim(
          CASE WHEN is_list THEN 'This crawl requested the URLs of a list and followed no links. ' ELSE '' END
            || CASE
              WHEN NOT has_pages THEN ''
              WHEN end_reason = 'max_depth_reached'
                THEN 'The crawl stopped at its limit of depth' || coalesce(' (' || CAST(last_depth AS VARCHAR) || ')', '')
                  || '. Deeper pages were not requested. '
              WHEN end_reason = 'max_url_reached' THEN 'The crawl stopped at its limit of URLs. Other pages were not requested. '
              WHEN end_reason = 'quota_reached' THEN 'The crawl stopped at its quota of URLs. Other pages were not requested. '
              WHEN NOT is_comparable THEN 'The crawl ended early. Other pages were not requested. '
              ELSE ''
            END
            || CASE
              WHEN is_disturbed
                THEN CAST(unread_pages AS VARCHAR) || ' of ' || CAST(known_pages AS VARCHAR) || ' pages were refused or could not be read. '
              ELSE ''
            END
            || CASE
              WHEN is_app_shell THEN 'The website is a single-page application and was not rendered, so its links are unknown. '
              ELSE ''
            END
            || CASE
              WHEN unread_sitemaps > 0
                THEN CAST(unread_sitemaps AS VARCHAR) || ' of ' || CAST(sitemaps AS VARCHAR) || ' sitemaps could not be read. '
              ELSE ''
            END
        ),
        ''
      ) AS scope_note
    FROM judged
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
  crawl.is_comparable,
  crawl.is_list,
  crawl.has_all_links,
  crawl.has_all_sitemaps,
  crawl.scope_note,
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
    AND coalesce(crawl.ended_at <= newest.ended_at AND (crawl.is_comparable OR NOT newest.is_comparable), false)
    AS is_in_trends,
  numbered.crawl_number,
  compared.previous_crawl_id
FROM covered AS crawl
LEFT JOIN mart.projects AS projects ON projects.project_id = crawl.project_id
LEFT JOIN latest ON latest.crawl_id = crawl.crawl_id
LEFT JOIN latest AS newest
  ON newest.project_id = crawl.project_id
  AND newest.crawl_config_id IS NOT DISTINCT FROM crawl.crawl_config_id
LEFT JOIN numbered ON numbered.crawl_id = crawl.crawl_id
LEFT JOIN compared ON compared.crawl_id = crawl.crawl_id
