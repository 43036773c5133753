/*
title: Unreadable content
severity: high
category: availability
definition: The server responded, but the body is not in the content encoding that the headers declare.
source: https://www.rfc-editor.org/rfc/rfc9110#section-8.4
why_it_matters: Browsers show an error, and search engines see no content.
fix: Send a Content-Encoding header only if it matches the body's encoding
owner: server
evidence: [status_code, processing_warnings]
cases:
  has:
    - {status_code: 200, processing_warnings: [unreadable_content]}
    - {status_code: 404, processing_warnings: ['custom_price: timeout', unreadable_content]}
  has_not:
    - {status_code: 200, processing_warnings: [not_parsed]}
    - {status_code: 200, processing_warnings: [truncated]}
    - {status_code: 200, processing_warnings: null}
*/
SELECT crawl_id, project_id, url, 'the body does not have the encoding of its headers' AS why
FROM mart.pages
WHERE ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,unreadable_content,%'
