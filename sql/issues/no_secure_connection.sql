/*
title: No secure connection
severity: high
category: security
definition: >-
  The page was not fetched because no secure connection could be made (processing_warnings contains tls): its
  certificate has expired, is of another host or of an unknown authority, or the handshake fails.
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Browsers warn of the page instead of showing it.
fix: Renew the certificate, with all hosts and all intermediate certificates in it
mended_by: server
evidence: [processing_warnings]
cases:
  has:
    - {processing_warnings: [tls]}
    - {processing_warnings: [tls, 'custom_price: timeout']}
  has_not:
    - {processing_warnings: [tls_version]}
    - {processing_warnings: [timeout]}
    - {processing_warnings: null}
*/
SELECT crawl_id, project_id, url, 'no secure connection can be made' AS why
FROM mart.pages
WHERE ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,tls,%'
