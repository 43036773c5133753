/*
title: Server refused the crawler
severity: medium
category: availability
definition: The server refused the crawler with HTTP status 401 or 429, with status 503 and Retry-After, or with a challenge page (processing_warnings contains try_later or challenge).
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: The crawl contains no data about the page, and the server may refuse search engines too.
fix: Allow the crawler's IP address or user agent on the server, or reduce the crawl speed; then crawl again
owner: server
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
