/*
name: mart.declared_targets
kind: view
description: >-
  One row for each URL that pages of a crawl declare as canonical, language version, redirect target, next or previous
  page or AMP page, that is not a page of the crawl, and that the crawl requested at its end. A target without a row
  here and in mart.pages is unknown.
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl (raw.crawl_requests._crawl_id).
  project_id: Identifier of its project (raw.crawl_requests._project_id).
  url: Full URL of the target (raw.crawl_requests.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  declared_as: >-
    The first kind of declaration: canonical, redirect, hreflang, next, prev or amp (raw.crawl_requests.declared_as).
  source_url: One of the URLs that declare the target (raw.crawl_requests.source_url).
  status_code: HTTP status; NULL without a response, or if it was not requested (raw.crawl_requests.status_code).
  error: Why there was no response, such as timeout (raw.crawl_requests.error).
  redirect_location: URL that it redirects to (raw.crawl_requests.redirect_location).
  final_url: >-
    URL at the end of its redirects, else the URL itself; NULL in a loop (raw.crawl_requests.final_redirect_location).
  final_status_code: >-
    HTTP status of the final URL (raw.crawl_requests.final_redirect_status, else raw.crawl_requests.status_code).
  is_robots_denied: >-
    Whether robots.txt blocks the page, so that it was not requested (raw.crawl_requests.robots_txt_denied).
  is_indexable: Whether a search engine may index it; NULL if that is unknown (raw.crawl_requests.is_indexable).
  is_noindex: Whether the page has noindex (raw.crawl_requests.is_noindex).
  canonical_url: Canonical that it declares (raw.crawl_requests.canonical).
  fetch_date: When it was requested, a point in time (raw.crawl_requests.fetch_date).
  _load_id: >-
    Run and unit that loaded the row, separated by a space (raw.crawl_requests._run_id, raw.crawl_requests._unit).
    ops.tombstones contains it once the row is replaced or removed.
  _loaded_at: When the row was loaded (raw.crawl_requests._loaded_at).
reads:
  raw.crawl_requests:
    _crawl_id: VARCHAR
    _project_id: VARCHAR
    _unit: VARCHAR
    _run_id: VARCHAR
    _loaded_at: TIMESTAMP WITH TIME ZONE
    url: VARCHAR
    kind: VARCHAR
    status_code: BIGINT
    error: VARCHAR
    declared_as: VARCHAR
    source_url: VARCHAR
    robots_txt_denied: BOOLEAN
    redirect_location: VARCHAR
    final_redirect_location: VARCHAR
    final_redirect_status: BIGINT
    is_indexable: BOOLEAN
    is_noindex: BOOLEAN
    canonical: VARCHAR
    fetch_date: TIMESTAMP WITH TIME ZONE
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  partitions: SELECT source_id AS crawl_id, loaded_at FROM ops.loads WHERE dataset = 'crawl_requests'
*/
SELECT
  _crawl_id AS crawl_id,
  _project_id AS project_id,
  url,
  _crawl_id || ' ' || url AS page_key,
  _project_id || ' ' || url AS url_key,
  declared_as,
  source_url,
  status_code,
  error,
  redirect_location,
  CASE WHEN redirect_location IS NULL THEN url ELSE final_redirect_location END AS final_url,
  CASE WHEN redirect_location IS NULL THEN status_code ELSE final_redirect_status END AS final_status_code,
  robots_txt_denied AS is_robots_denied,
  is_indexable,
  is_noindex,
  canonical AS canonical_url,
  fetch_date,

  _run_id || ' ' || _unit AS _load_id,
  _loaded_at
FROM raw.crawl_requests
WHERE kind = 'target'
