/*
name: mart.indexability_changes
kind: table
description: >-
  Pages whose state in a crawl differs from the previous crawl (mart.crawls.previous_crawl_id). The state is indexable,
  or the reason why the page is not indexable. A page that the crawl could not read, because the server refused it, did
  not respond or sent unreadable content, has no row. A reason counts only if the exports of both crawls have it.
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the later crawl.
  previous_crawl_id: Identifier of the previous crawl.
  project_id: Identifier of their project.
  url: >-
    Full URL of the page (mart.pages.url), or of a page that the crawl requested again and robots.txt blocks
    (mart.rechecks).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  is_new: Whether the previous crawl does not have the URL.
  state_before: >-
    State in the previous crawl, with the values of state; NULL if that crawl does not have the page or did not read it.
  state:
    description: >-
      indexable, or the first reason why not, robots_denied, redirect, client_error, server_error, other_status,
      noindex, canonicalised or service (mart.pages.non_indexable_reason).
    tests: [not_null]
  status_code_before: HTTP status in the previous crawl (mart.pages.status_code).
  status_code: HTTP status in the later crawl (mart.pages.status_code).
  canonical_url: Canonical that the page declares in the later crawl (mart.pages.canonical_url).
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.crawls]
  # A crawl that comes late, goes or comes again changes what the next one is compared with.
  partitions: |
    SELECT crawls.crawl_id, crawls.previous_crawl_id, crawls.project_id, loads.source_id, loads.loaded_at
    FROM mart.crawls AS crawls
    JOIN ops.loads AS loads
      ON loads.source_id = crawls.crawl_id OR loads.source_id = crawls.previous_crawl_id
    WHERE loads.dataset IN ('crawl_pages', 'crawl_requests') AND crawls.previous_crawl_id IS NOT NULL
*/
WITH
  pair AS (
    SELECT crawl_id, previous_crawl_id, project_id
    FROM mart.crawls
    WHERE previous_crawl_id IS NOT NULL
  ),

  -- An error is a state, even if it says nothing else about the page. A block by robots.txt was read there.
  side AS (
    SELECT
      crawl_id AS side_id,
      url,
      CASE
        WHEN observation_reason = 'blocked_by_robots' THEN 'robots_denied'
        WHEN observation IN ('not_requested', 'refused') OR observation_reason IN ('no_answer', 'broken_body') THEN NULL
        WHEN is_indexable THEN 'indexable'
        ELSE non_indexable_reason
      END AS state,
      status_code,
      canonical_url
    FROM mart.pages

    UNION ALL
    -- All links to a page that robots.txt blocks may be on blocked pages.
    SELECT rechecks.crawl_id, rechecks.url, 'robots_denied', CAST(NULL AS BIGINT), CAST(NULL AS VARCHAR)
    FROM mart.rechecks AS rechecks
    WHERE rechecks.state = 'blocked'
  ),

  told AS (
    SELECT
      pair.crawl_id,
      count(CASE WHEN told.part = 'status' THEN 1 END) = 2 AS status,
      count(CASE WHEN told.part = 'robots' THEN 1 END) = 2 AS robots,
      count(CASE WHEN told.part = 'noindex' THEN 1 END) = 2 AS noindex,
      count(CASE WHEN told.part = 'canonical' THEN 1 END) = 2 AS canonical,
      count(CASE WHEN told.part = 'service' THEN 1 END) = 2 AS service
    FROM pair
    JOIN mart.crawl_columns AS told
      ON told.dataset = 'crawl_pages'
      AND told.column_name = 'non_indexable_reason'
      AND (told.crawl_id = pair.crawl_id OR told.crawl_id = pair.previous_crawl_id)
    GROUP BY pair.crawl_id
  ),

  later AS (
    SELECT pair.crawl_id, pair.previous_crawl_id, pair.project_id, side.url, side.state, side.status_code, side.canonical_url
    FROM pair
    JOIN side ON side.side_id = pair.crawl_id
    WHERE side.state IS NOT NULL
  ),

  earlier AS (
    SELECT pair.crawl_id, side.url, side.state, side.status_code
    FROM pair
    JOIN side ON side.side_id = pair.previous_crawl_id
  ),

  page AS (
    SELECT
      later.*,
      earlier.url IS NULL AS is_new,
      earlier.state AS state_before,
      earlier.status_code AS status_code_before
    FROM later
    LEFT JOIN earlier ON earlier.crawl_id = later.crawl_id AND earlier.url = later.url
    WHERE earlier.state IS NULL OR earlier.state <> later.state
  ),

  -- The columns that both exports contain, for each state.
  reason AS (
    SELECT state, part
    FROM (
      VALUES
        ('indexable', 'none'), ('robots_denied', 'robots'), ('redirect', 'status'), ('client_error', 'status'),
        ('server_error', 'status'), ('other_status', 'status'), ('noindex', 'noindex'), ('canonicalised', 'canonical'),
        ('service', 'service')
    ) AS reasons(state, part)
  ),

  tellable AS (
    SELECT told.crawl_id, reason.state
    FROM told
    CROSS JOIN reason
    WHERE CASE reason.part
      WHEN 'status' THEN told.status
      WHEN 'robots' THEN told.robots
      WHEN 'noindex' THEN told.noindex
      WHEN 'canonical' THEN told.canonical
      WHEN 'service' THEN told.service
      ELSE true
    END
  )

SELECT
  page.crawl_id,
  page.previous_crawl_id,
  page.project_id,
  page.url,
  page.crawl_id || ' ' || page.url AS page_key,
  page.project_id || ' ' || page.url AS url_key,
  page.is_new,
  page.state_before,
  page.state,
  page.status_code_before,
  page.status_code,
  page.canonical_url
FROM page
JOIN tellable AS after ON after.crawl_id = page.crawl_id AND after.state = page.state
LEFT JOIN tellable AS former ON former.crawl_id = page.crawl_id AND former.state = page.state_before
WHERE page.state_before IS NULL OR former.state IS NOT NULL
