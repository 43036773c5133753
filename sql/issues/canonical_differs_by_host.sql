/*
title: Canonical to another host
severity: medium
category: canonicals
definition: The page returns 200, and its canonical is on another host (canonical_kind is host).
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: Search results show the page on the other host instead. This is correct for a copy, but wrong after an incomplete site move.
fix: If the page is not a copy, change the canonical to the page's own URL
owner: template
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
