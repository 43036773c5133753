/*
title: Missing canonical
severity: low
category: canonicals
definition: The page is indexable and declares no canonical (canonical_kind is not_set, declared_canonical is empty, and canonicals does not contain two different URLs).
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: Search engines choose which of the page's URLs to show.
fix: Add a self-referencing canonical, such as <link rel="canonical" href="https://example.com/page">
owner: template
evidence: [canonical_kind]
cases:
  has: [{is_indexable: true, canonical_kind: not_set}]
  has_not:
    [{is_indexable: true, canonical_kind: not_set, canonicals: [a, b]}, {is_indexable: true, canonical_kind: not_set, declared_canonical: 'mailto:a@b.example'}, {is_indexable: true, canonical_kind: self}, {is_indexable: false, canonical_kind: not_set}]
*/
SELECT crawl_id, project_id, url, 'no canonical' AS why
FROM mart.pages
WHERE is_indexable AND canonical_kind = 'not_set' AND coalesce(array_length(canonicals), 0) < 2 AND coalesce(declared_canonical, '') = ''
