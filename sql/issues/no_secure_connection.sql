/*
title: No secure connection
severity: high
category: security
definition: >-
  The page was not fetched because no secure connection could be made (processing_warnings contains tls or a name that begins
  with tls_, other than tls_version). The name says why: tls_expired, tls_not_yet_valid, tls_wrong_host, tls_self_signed,
  tls_untrusted, tls_incomplete_chain or tls_protocol.
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Browsers warn of the page instead of showing it; with an incomplete chain, other clients fail.
fix: Fix what the reason names, such as the certificate, its hosts or its chain
mended_by: server
evidence: [processing_warnings]
cases:
  has:
    - {processing_warnings: [tls]}
    - {processing_warnings: [tls_expired]}
    - {processing_warnings: [tls_incomplete_chain, 'custom_price: timeout']}
    - {processing_warnings: [tls, 'custom_price: timeout']}
  has_not:
    - {processing_warnings: [tls_version]}
    - {processing_warnings: [timeout]}
    - {processing_warnings: ['custom_tls: timeout']}
    - {processing_warnings: null}
*/
SELECT
  crawl_id,
  project_id,
  url,
  CASE
    WHEN array_to_string(processing_warnings, ',') LIKE '%tls_expired%' THEN 'the certificate has expired'
    WHEN array_to_string(processing_warnings, ',') LIKE '%tls_not_yet_valid%' THEN 'the certificate is not valid yet'
    WHEN array_to_string(processing_warnings, ',') LIKE '%tls_wrong_host%' THEN 'the certificate is of another host'
    WHEN array_to_string(processing_warnings, ',') LIKE '%tls_self_signed%' THEN 'the certificate is self-signed'
    WHEN array_to_string(processing_warnings, ',') LIKE '%tls_untrusted%'
      THEN 'the certificate is of an authority that is not trusted'
    WHEN array_to_string(processing_warnings, ',') LIKE '%tls_incomplete_chain%'
      THEN 'the certificate chain is incomplete: browsers download the missing certificate, other clients fail'
    WHEN array_to_string(processing_warnings, ',') LIKE '%tls_protocol%'
      THEN 'the server speaks neither HTTP/1.1 nor HTTP/2 over TLS'
    ELSE 'no secure connection can be made'
  END AS why
FROM mart.pages
WHERE ',' || replace(array_to_string(processing_warnings, ','), 'tls_version', '') LIKE '%,tls%'
