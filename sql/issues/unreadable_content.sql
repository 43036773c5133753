/*
title: Content that can not be read
severity: high
category: availability
definition: The page was answered, and its body is not in the content encoding that its headers name.
source: https://www.rfc-editor.org/rfc/rfc9110#section-8.4
why_it_matters: Browsers show an error, and search engines see nothing of the page.
fix: Send the header Content-Encoding only with a body of that encoding
mended_by: server
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
SELECT crawl_id, project_id, url, 'the body is not in the encoding that its headers name' AS why
FROM mart.pages
WHERE ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,unreadable_content,%'
