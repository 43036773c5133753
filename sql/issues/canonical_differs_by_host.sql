/*
title: Canonical on another host
severity: medium
category: canonicals
definition: The page answers 200, and its canonical differs from its URL in the host (canonical_kind is host).
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: >-
  Another host is to stand in search results: right for copies of its text, wrong after a move that was not finished.
fix: Declare the address at which the page answers
mended_by: template
evidence: [canonical_kind]
cases:
  has:
    - {status_code: 200, canonical_kind: host, canonical_url: 'https://example.org/a'}
    - {status_code: 200, canonical_kind: host, rel_canonical: /a}
    - {status_code: 200, canonical_kind: host}
  has_not: [{status_code: 200, canonical_kind: scheme}, {status_code: 404, canonical_kind: host}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || coalesce(canonical_url, rel_canonical, 'not known') AS why, canonical_url AS related_url
FROM mart.pages
WHERE status_code = 200 AND canonical_kind = 'host'
