/*
name: mart.crawl_files
kind: view
description: >-
  One row for each robots.txt or sitemap that a crawl of the local service requested, even if it could not be read. A
  crawl of another service has none.
grain: [crawl_id, kind, url]
columns:
  crawl_id: Identifier of the crawl (raw.crawl_requests._crawl_id).
  project_id: Identifier of its project (raw.crawl_requests._project_id).
  url: Full URL of the file (raw.crawl_requests.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  kind: robots_txt or sitemap (raw.crawl_requests.kind).
  status_code: >-
    HTTP status after its redirects; NULL without a response, or if it was not requested
    (raw.crawl_requests.status_code).
  is_read: >-
    Whether its content is known. False for a file that returns an error, for a sitemap that is truncated or invalid,
    and if the time limit for sitemaps was reached first.
  error: >-
    Why the file was not read, such as timeout, broken or over_budget; for a sitemap that was read, its flaw:
    text_before_xml, relative_url or invalid_lastmod (raw.crawl_requests.error).
  source_url: >-
    Index or robots.txt that lists a sitemap; NULL for a sitemap of the configuration (raw.crawl_requests.source_url).
  num_urls: Number of URLs that a sitemap lists; NULL for a file that was not read (raw.crawl_requests.num_urls).
  content: Text of a robots.txt; NULL for a file that was not read (raw.crawl_requests.content).
  fetch_date: When the file was requested, a point in time (raw.crawl_requests.fetch_date).
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
    source_url: VARCHAR
    num_urls: BIGINT
    content: VARCHAR
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
  kind,
  status_code,
  CASE WHEN kind = 'sitemap' THEN num_urls IS NOT NULL ELSE content IS NOT NULL END AS is_read,
  error,
  source_url,
  num_urls,
  content,
  fetch_date,

  _run_id || ' ' || _unit AS _load_id,
  _loaded_at
FROM raw.crawl_requests
WHERE kind IN ('robots_txt', 'sitemap')
