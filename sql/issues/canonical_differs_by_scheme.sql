/*
title: Canonical differs in scheme
severity: medium
category: canonicals
definition: The page returns 200, and its canonical differs from its URL in the scheme, http or https (canonical_kind is scheme).
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: The page uses one protocol, but its canonical specifies the other.
fix: Change the canonical to the https:// URL, and redirect the http:// URL to it
owner: template
evidence: [canonical_kind]
cases:
  has:
    - {status_code: 200, canonical_kind: scheme, canonical_url: 'https://example.org/a'}
    - {status_code: 200, canonical_kind: scheme, rel_canonical: /a}
    - {status_code: 200, canonical_kind: scheme}
  has_not: [{status_code: 200, canonical_kind: host}, {status_code: 404, canonical_kind: scheme}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || coalesce(canonical_url, rel_canonical, 'not known') AS why, canonical_url AS related_url
FROM mart.pages
WHERE status_code = 200 AND canonical_kind = 'scheme'
