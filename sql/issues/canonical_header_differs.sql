/*
title: Canonical in the header differs
severity: high
category: canonicals
definition: The Link HTTP header declares a canonical (header_canonical) that differs from the canonical in the page (rel_canonical). The issue also applies if the header declares a canonical and the canonicals field contains several URLs.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: Search engines see two canonicals, and may use either or neither.
fix: Declare the canonical in the page's head or in the Link HTTP header, but not in both
owner: server
evidence: [rel_canonical, header_canonical]
cases:
  has:
    [{rel_canonical: 'https://example.org/a', header_canonical: 'https://example.org/b'}, {header_canonical: b, canonicals: [a, b]}]
  has_not: [{rel_canonical: 'https://example.org/a', header_canonical: 'https://example.org/a'}, {rel_canonical: 'https://example.org/a'}, {header_canonical: 'https://example.org/b'}, {header_canonical: b, canonicals: [b]}, {canonicals: [a, b]}]
*/
SELECT crawl_id, project_id, url, 'header ' || header_canonical AS why, header_canonical AS related_url
FROM mart.pages
WHERE rel_canonical <> header_canonical OR header_canonical IS NOT NULL AND array_length(canonicals) > 1
