/*
title: TLS below 1.2
severity: high
category: security
definition: The crawler fetched the page over TLS 1.1 or older (tls_version), or could not fetch it because its host does not support TLS 1.2 or newer (processing_warnings contains tls_version).
source: https://www.rfc-editor.org/rfc/rfc8996
why_it_matters: Browsers refuse the connection, so users cannot see the page.
fix: Enable TLS 1.2 and 1.3 on the server
owner: server
evidence: [processing_warnings, tls_version]
cases:
  has:
    - {processing_warnings: [tls_version]}
    - {processing_warnings: [truncated, tls_version]}
    - {tls_version: TLSv1.1}
    - {tls_version: TLSv1}
    - {tls_version: SSLv3}
  has_not:
    - {processing_warnings: [tls]}
    - {processing_warnings: [], tls_version: TLSv1.2}
    - {processing_warnings: null, tls_version: TLSv1.3}
*/
SELECT
  crawl_id, project_id, url, coalesce(tls_version, 'no TLS as new as 1.2') AS why
FROM mart.pages
WHERE ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,tls_version,%'
  OR tls_version IN ('TLSv1', 'TLSv1.1', 'SSLv3')
