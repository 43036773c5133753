/*
title: Canonical differs in case
severity: low
category: canonicals
definition: The page returns 200, and its canonical differs from its URL in letter case (canonical_kind is case).
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: The page is available at two URLs, so links to it are split between them.
fix: Change the canonical to the page's exact URL
owner: template
evidence: [canonical_kind]
cases:
  has:
    - {status_code: 200, canonical_kind: case, canonical_url: 'https://example.org/a'}
    - {status_code: 200, canonical_kind: case, rel_canonical: /a}
    - {status_code: 200, canonical_kind: case}
  has_not: [{status_code: 200, canonical_kind: slash}, {status_code: 404, canonical_kind: case}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || coalesce(canonical_url, rel_canonical, 'not known') AS why, canonical_url AS related_url
FROM mart.pages
WHERE status_code = 200 AND canonical_kind = 'case'
