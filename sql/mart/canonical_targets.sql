/*
name: mart.canonical_targets
kind: table
description: >-
  Pages with status 200 that declare another URL as their canonical, with the state of that URL if the crawl requested
  it.
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  canonical_url: Canonical that the page declares (mart.pages.canonical_url).
  target_status_code: HTTP status of that URL (mart.read_targets.status_code).
  is_target_noindex: Whether that URL has noindex (mart.read_targets.is_noindex).
  is_target_canonicalised: >-
    Whether that URL declares yet another URL as its canonical (mart.read_targets.is_canonicalised).
  target_canonical_url: Canonical that the page declares (mart.read_targets.canonical_url).
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.pages, mart.read_targets]
  partitions: |
    SELECT source_id AS crawl_id, dataset, loaded_at
    FROM ops.loads
    WHERE dataset IN ('crawl_pages', 'crawl_requests')
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  pages.crawl_id || ' ' || pages.url AS page_key,
  pages.project_id || ' ' || pages.url AS url_key,
  pages.canonical_url,
  targets.status_code AS target_status_code,
  targets.is_noindex AS is_target_noindex,
  targets.is_canonicalised AS is_target_canonicalised,
  targets.canonical_url AS target_canonical_url
FROM mart.pages AS pages
JOIN mart.read_targets AS targets ON targets.crawl_id = pages.crawl_id AND targets.url = pages.canonical_url
WHERE pages.status_code = 200 AND pages.is_canonicalised AND pages.canonical_url <> pages.url
