/*
name: mart.links
kind: view
description: >-
  Links between two pages, as the crawl found them. There is no grain, because the same link may appear several times on
  a page.
grain: null
columns:
  crawl_id: {description: Identifier of the crawl (raw.crawl_links._crawl_id)., tests: [not_null]}
  project_id: Identifier of its project (raw.crawl_links._project_id).
  origin: {description: URL of the page that contains the link (raw.crawl_links.origin)., tests: [not_null]}
  origin_host: Host of that URL (raw.crawl_links.origin_host).
  target: {description: URL that the link leads to (raw.crawl_links.target)., tests: [not_null]}
  target_host: Host of that URL (raw.crawl_links.target_host).
  anchor: Text of the link (raw.crawl_links.anchor).
  follow: Whether the link has no nofollow (raw.crawl_links.follow).
  intern: Whether both pages belong to the site (raw.crawl_links.intern).
  is_internal: >-
    Whether both pages belong to the site: intern, or if the export lacks it, whether both URLs have the same host
    (raw.crawl_links.origin_host, raw.crawl_links.target_host, else those of origin and target).
  link_position: Part of the page that contains the link (raw.crawl_links.link_position).
  target_fetched: Whether the crawler fetched the target (raw.crawl_links.target_fetched).
  target_status: HTTP status of the target (raw.crawl_links.target_status).
  target_status_range: ok, redirect, client_error or server_error (raw.crawl_links.target_status_range).
  _load_id: >-
    Run and unit that loaded the row, separated by a space (raw.crawl_links._run_id, raw.crawl_links._unit).
    ops.tombstones contains it once the row is replaced or removed.
  _loaded_at: When the row was loaded (raw.crawl_links._loaded_at).
reads:
  raw.crawl_links:
    _crawl_id: VARCHAR
    _project_id: VARCHAR
    _unit: VARCHAR
    _run_id: VARCHAR
    _loaded_at: TIMESTAMP WITH TIME ZONE
    origin: VARCHAR
    origin_host: VARCHAR
    target: VARCHAR
    target_host: VARCHAR
    anchor: VARCHAR
    follow: BOOLEAN
    intern: BOOLEAN
    link_position: VARCHAR
    target_fetched: BOOLEAN
    target_status: BIGINT
    target_status_range: VARCHAR
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  partitions: SELECT source_id AS crawl_id, loaded_at FROM ops.loads WHERE dataset = 'crawl_links'
*/
SELECT
  _crawl_id AS crawl_id,
  _project_id AS project_id,
  origin,
  origin_host,
  target,
  target_host,
  anchor,
  follow,
  intern,
  coalesce(
    intern,
    lower(coalesce(origin_host, nullif(split_part(origin, '/', 3), '')))
      = lower(coalesce(target_host, nullif(split_part(target, '/', 3), '')))
  ) AS is_internal,
  link_position,
  target_fetched,
  target_status,
  target_status_range,

  _run_id || ' ' || _unit AS _load_id,
  _loaded_at
FROM raw.crawl_links
