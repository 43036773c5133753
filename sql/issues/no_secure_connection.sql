/*
title: No secure connection
severity: high
category: security
definition: The crawler could not establish a secure connection. The reason in processing_warnings is tls_expired, tls_not_yet_valid, tls_wrong_host, tls_self_signed, tls_untrusted, tls_incomplete_chain or tls_protocol, or tls for any other cause.
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Browsers show a warning instead of the page. If the certificate chain is incomplete, non-browser clients may fail to connect.
fix: Fix the reported cause on the server, such as an expired certificate, a wrong host or an incomplete chain
owner: server
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
