/*
title: Missing canonical
severity: low
category: canonicals
definition: >-
  The page is indexable, canonical_kind is not_set, declared_canonical is empty, and canonicals does not have two that differ.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: Search engines choose among the addresses of one page by themselves.
fix: Let the page declare itself as its canonical
mended_by: template
evidence: [canonical_kind]
cases:
  has: [{is_indexable: true, canonical_kind: not_set}]
  has_not:
    [{is_indexable: true, canonical_kind: not_set, canonicals: [a, b]}, {is_indexable: true, canonical_kind: not_set, declared_canonical: 'mailto:a@b.example'}, {is_indexable: true, canonical_kind: self}, {is_indexable: false, canonical_kind: not_set}]
*/
SELECT crawl_id, project_id, url, 'no canonical' AS why
FROM mart.pages
WHERE is_indexable AND canonical_kind = 'not_set' AND coalesce(array_length(canonicals), 0) < 2 AND coalesce(declared_canonical, '') = ''
