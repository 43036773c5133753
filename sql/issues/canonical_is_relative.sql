/*
title: Relative canonical
severity: low
category: canonicals
definition: The page's canonical (declared_canonical) has neither a scheme nor a host.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: A relative canonical points to a different URL if the same HTML is served elsewhere, for example on a test host.
fix: Write the canonical as an absolute URL, as in <link rel="canonical" href="https://example.com/page">
owner: template
evidence: [rel_canonical]
cases:
  has: [{declared_canonical: /a}, {declared_canonical: /a, canonical_kind: not_set, canonicals: [a, b]}]
  has_not: [{declared_canonical: 'mailto:a@b.example', canonical_kind: not_set}, {declared_canonical: 'https://example.org/a'}, {declared_canonical: //example.org/a}, {declared_canonical: ''}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || declared_canonical AS why, canonical_url AS related_url
FROM mart.pages
WHERE declared_canonical <> '' AND strpos(declared_canonical, '://') = 0 AND NOT starts_with(trim(declared_canonical), '//')
  AND (coalesce(canonical_kind, '') <> 'not_set' OR array_length(canonicals) > 0)
