/*
title: Canonical with a fragment
severity: medium
category: canonicals
definition: 'The page''s canonical (declared_canonical) contains #.'
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: 'Search engines ignore the part after #, and may ignore the whole canonical.'
fix: 'Remove # and everything after it from the canonical'
owner: template
evidence: [rel_canonical]
cases:
  has: [{declared_canonical: 'https://example.org/a#b'}]
  has_not: [{declared_canonical: 'https://example.org/a'}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || declared_canonical AS why, canonical_url AS related_url
FROM mart.pages
WHERE strpos(declared_canonical, '#') > 0
