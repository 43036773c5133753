/*
title: Canonical is not a URL
severity: medium
category: canonicals
definition: The page returns 200 and declares a canonical (declared_canonical) that is not an http or https URL. The page declares no other canonical (canonicals is empty, and canonical_kind is not_set).
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: Search engines ignore the canonical and choose a URL themselves.
fix: Write the canonical as an absolute URL, as in <link rel="canonical" href="https://example.com/page">
owner: template
evidence: [declared_canonical]
cases:
  has: [{status_code: 200, canonical_kind: not_set, declared_canonical: 'mailto:a@b.example'}, {status_code: 200, canonical_kind: not_set, declared_canonical: 'https://', canonicals: []}]
  has_not:
    - {status_code: 200, canonical_kind: self, declared_canonical: 'https://example.org/a'}
    - {status_code: 200, canonical_kind: not_set, declared_canonical: /a, canonicals: [a, b]}
    - {status_code: 200, canonical_kind: not_set}
    - {status_code: 200, canonical_kind: not_set, declared_canonical: ''}
    - {status_code: 404, canonical_kind: not_set, declared_canonical: 'https://'}
*/
SELECT crawl_id, project_id, url, 'canonical ' || declared_canonical AS why
FROM mart.pages
WHERE status_code = 200 AND canonical_kind = 'not_set' AND declared_canonical <> '' AND coalesce(array_length(canonicals), 0) = 0
