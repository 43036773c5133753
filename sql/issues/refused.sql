/*
title: Server refused the crawler
severity: medium
category: availability
definition: >-
  The server refused the crawler: HTTP status 401 or 429, status 503 with Retry-After, or a page that challenges the
  visitor instead of answering (processing_warnings contains try_later or challenge).
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: The crawl lacks the page, so nothing is known of it; search engines may be refused as well.
fix: Allow the crawler's IP address or user agent, or crawl more slowly, then crawl again
mended_by: server
evidence: [status_code]
cases:
  has:
    - {observation: refused, status_code: 429, non_indexable_reason: null}
    - {observation: refused, status_code: 403, processing_warnings: ['challenge: Cloudflare'], non_indexable_reason: null}
    - {observation: refused, status_code: 503, processing_warnings: [try_later], non_indexable_reason: null}
  has_not:
    - {observation: refused, status_code: 403, non_indexable_reason: client_error}
    - {observation: refused, status_code: 503, non_indexable_reason: server_error}
    - {observation: read, status_code: 200, non_indexable_reason: null}
*/
SELECT
  crawl_id,
  project_id,
  url,
  'HTTP status ' || CAST(status_code AS VARCHAR)
    || coalesce(', ' || nullif(array_to_string(processing_warnings, ', '), ''), '') AS why
FROM mart.pages
WHERE observation = 'refused' AND non_indexable_reason IS NULL
