/*
name: mart.rechecks
kind: view
description: >-
  One row for each URL that a crawl of the local service did not meet and requested at its end. The URL is a page of the
  previous crawl, has clicks or bot hits, or is listed in a sitemap. It is not a page of the crawl.
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl (raw.crawl_requests._crawl_id).
  project_id: Identifier of its project (raw.crawl_requests._project_id).
  url: Full URL (raw.crawl_requests.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  state: >-
    gone (404, 410, or redirects that end there), moved (redirects), unlinked (responds, and no link of the crawl leads
    there), blocked (robots.txt), refused (401, 403, 429, 503), unknown (its robots.txt could not be read) or unreadable
    (anything else).
  status_code: HTTP status; NULL without a response, or if it was not requested (raw.crawl_requests.status_code).
  error: Why there was no response, such as timeout (raw.crawl_requests.error).
  redirect_location: URL that it redirects to (raw.crawl_requests.redirect_location).
  redirect_to_final_url: URL at the end of its redirects; NULL in a loop (raw.crawl_requests.final_redirect_location).
  final_status_code: HTTP status at the end of its redirects (raw.crawl_requests.final_redirect_status).
  is_indexable: Whether a search engine may index it; NULL if that is unknown (raw.crawl_requests.is_indexable).
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
    robots_txt_denied: BOOLEAN
    redirect_location: VARCHAR
    final_redirect_location: VARCHAR
    final_redirect_status: BIGINT
    is_indexable: BOOLEAN
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
  CASE
    WHEN robots_txt_denied THEN 'blocked'
    WHEN error = 'robots_unavailable' THEN 'unknown'
    WHEN status_code IN (404, 410) THEN 'gone'
    WHEN status_code BETWEEN 300 AND 399 AND final_redirect_status IN (404, 410) THEN 'gone'
    WHEN status_code BETWEEN 300 AND 399 THEN 'moved'
    WHEN status_code IN (401, 403, 429, 503) THEN 'refused'
    WHEN status_code BETWEEN 200 AND 299 THEN 'unlinked'
    ELSE 'unreadable'
  END AS state,
  status_code,
  error,
  redirect_location,
  final_redirect_location AS redirect_to_final_url,
  final_redirect_status AS final_status_code,
  is_indexable,
  canonical AS canonical_url,
  fetch_date,

  _run_id || ' ' || _unit AS _load_id,
  _loaded_at
FROM raw.crawl_requests
WHERE kind = 'recheck'
