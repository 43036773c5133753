/*
title: Larger than Google's limit
severity: high
category: performance
definition: The page returns 200, and its uncompressed size is above 2,048 KB, or above 65,536 KB for a PDF (Google's limits as of 2026-02-03). Other files (is_resource) are excluded. If content_kind is unknown, a page whose path ends in .pdf is treated as a PDF.
source: https://developers.google.com/search/docs/crawling-indexing/googlebot
why_it_matters: Google Search reads only the first 2 MB of a page and the first 64 MB of a PDF.
fix: Split the page, or move inline code, styles and data into separate files
owner: template
evidence: [status_code, weight, urlpath]
cases:
  has:
    - {status_code: 200, weight: 2049, urlpath: /page}
    - {status_code: 200, weight: 2049, urlpath: null}
    - {status_code: 200, weight: 2049, urlpath: /page.pdf/}
    - {status_code: 200, weight: 65537, urlpath: /a.PDF}
    - {status_code: 200, weight: 65537, urlpath: /get, content_kind: pdf}
    - {status_code: 200, weight: 2049, urlpath: /a.pdf, content_kind: html}
  has_not:
    - {status_code: 200, weight: 2048, urlpath: /page}
    - {status_code: 404, weight: 2049, urlpath: /page}
    - {status_code: 200, weight: 65536, urlpath: /a.pdf}
    - {status_code: 200, weight: 65536, urlpath: /get, content_kind: pdf}
    - {status_code: 200, weight: 2049, urlpath: /page, content_kind: video, is_resource: true}
*/
SELECT crawl_id, project_id, url, CAST(weight AS VARCHAR) || ' KB' AS why
FROM mart.pages
WHERE status_code = 200
  AND NOT coalesce(is_resource, false)
  AND weight > CASE WHEN content_kind = 'pdf' OR content_kind IS NULL AND lower(urlpath) LIKE '%.pdf' THEN 65536 ELSE 2048 END
