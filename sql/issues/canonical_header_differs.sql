/*
title: Canonical of the header differs
severity: high
category: canonicals
definition: The page declares one canonical in its HTML, and another one in a Link header.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: Search engines see two canonicals, and may take either or none.
fix: Declare the canonical in one place
evidence: [rel_canonical, header_canonical]
cases:
  has: [{rel_canonical: 'https://example.org/a', header_canonical: 'https://example.org/b'}]
  has_not: [{rel_canonical: 'https://example.org/a', header_canonical: 'https://example.org/a'}, {rel_canonical: 'https://example.org/a'}, {header_canonical: 'https://example.org/b'}]
*/
SELECT crawl_id, project_id, url, 'header ' || header_canonical AS why
FROM mart.pages
WHERE rel_canonical <> header_canonical
