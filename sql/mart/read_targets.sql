/*
name: mart.read_targets
kind: view
description: >-
  One row for each URL of a crawl that a declaration may lead to: the crawl's pages, and the declared targets that it
  requested at its end and that responded (mart.declared_targets). A target that refused (401, 403, 429, 503) or did not
  respond is left out, because its state is unknown.
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL (mart.pages.url, mart.declared_targets.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  is_page: Whether the URL is a page of the crawl.
  status_code: HTTP status; NULL without a response, or if it was not requested.
  is_indexable: Whether a search engine may index the target; NULL if that is unknown.
  non_indexable_reason: >-
    As in mart.pages.non_indexable_reason; for a target that is not a page of the crawl: noindex, canonicalised or NULL.
  is_noindex: Whether the page has noindex.
  is_canonicalised: Whether the target declares another URL as its canonical.
  canonical_url: Canonical that the target declares.
*/
SELECT
  crawl_id,
  project_id,
  url,
  crawl_id || ' ' || url AS page_key,
  project_id || ' ' || url AS url_key,
  true AS is_page,
  status_code,
  is_indexable,
  non_indexable_reason,
  is_noindex,
  is_canonicalised,
  canonical_url
FROM mart.pages
UNION ALL
SELECT
  crawl_id,
  project_id,
  url,
  crawl_id || ' ' || url AS page_key,
  project_id || ' ' || url AS url_key,
  false AS is_page,
  status_code,
  is_indexable,
  CASE WHEN is_noindex THEN 'noindex' WHEN canonical_url <> url THEN 'canonicalised' END AS non_indexable_reason,
  is_noindex,
  canonical_url <> url AS is_canonicalised,
  canonical_url
FROM mart.declared_targets
WHERE status_code NOT IN (401, 403, 429, 503)
