/*
name: mart.indexability
kind: view
description: >-
  One row for each page and crawl, with whether a search engine may index the page, and the first reason why not
  (docs/definitions.md). The test of mart.pages also proves that these rows are unique.
grain: null
columns:
  crawl_id: Identifier of the crawl (mart.pages.crawl_id).
  project_id: Identifier of its project (mart.pages.project_id).
  url: Full URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  is_indexable: >-
    Whether a search engine may index the page; NULL if its status is unknown, or if the page is a file
    (mart.pages.is_indexable).
  reason: >-
    The first reason why it is not indexable, by reason_order: robots_denied, no_answer, redirect, client_error,
    server_error, other_status, noindex, canonicalised, service; NULL if none is known
    (mart.pages.non_indexable_reason).
  reason_order: Position of the reason in that order, 1 to 9.
  status_code: HTTP status (mart.pages.status_code).
  is_robots_denied: Whether robots.txt blocks the page (mart.pages.is_robots_denied).
  is_noindex: Whether the page has noindex (mart.pages.is_noindex).
  is_canonicalised: Whether the page declares another page as its canonical (mart.pages.is_canonicalised).
  canonical_kind: not_set, self, slash, scheme, case, host or path (mart.pages.canonical_kind).
*/
SELECT
  crawl_id,
  project_id,
  url,
  page_key,
  url_key,
  is_indexable,
  non_indexable_reason AS reason,
  CASE non_indexable_reason
    WHEN 'robots_denied' THEN 1
    WHEN 'no_answer' THEN 2
    WHEN 'redirect' THEN 3
    WHEN 'client_error' THEN 4
    WHEN 'server_error' THEN 5
    WHEN 'other_status' THEN 6
    WHEN 'noindex' THEN 7
    WHEN 'canonicalised' THEN 8
    WHEN 'service' THEN 9
  END AS reason_order,
  status_code,
  is_robots_denied,
  is_noindex,
  is_canonicalised,
  canonical_kind
FROM mart.pages
