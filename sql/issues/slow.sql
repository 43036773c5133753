/*
title: Slow page
severity: medium
category: performance
definition: The page returns 200, is HTML (is_resource is not true, and content_kind is html or unknown), and has a load_time above $milliseconds ms.
source: https://developers.google.com/search/docs/crawling-indexing/large-site-managing-crawl-budget
why_it_matters: Users leave slow pages, and search engines crawl fewer pages of a slow site.
fix: Make the server respond faster, or make the page smaller
owner: server
evidence: [status_code, load_time]
thresholds: {milliseconds: {default: 1000, unit: ms}}
cases:
  has: [{status_code: 200, load_time: 1001}]
  has_not:
    - {status_code: 200, load_time: 1000}
    - {status_code: 404, load_time: 1001}
    - {status_code: 200, load_time: 1001, content_kind: pdf}
    - {status_code: 200, load_time: 1001, is_resource: true}
*/
SELECT crawl_id, project_id, url, CAST(load_time AS VARCHAR) || ' ms to the last byte' AS why
FROM mart.pages
WHERE status_code = 200
  AND NOT coalesce(is_resource, false)
  AND coalesce(content_kind, 'html') = 'html'
  AND load_time > $milliseconds
