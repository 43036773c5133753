/*
title: Canonical with a fragment
severity: medium
category: canonicals
definition: >-
  declared_canonical contains #.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: >-
  Search engines ignore the part behind #, and may ignore such a canonical.
fix: >-
  Write the canonical without #
mended_by: template
evidence: [rel_canonical]
cases:
  has: [{declared_canonical: 'https://example.org/a#b'}]
  has_not: [{declared_canonical: 'https://example.org/a'}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || declared_canonical AS why, canonical_url AS related_url
FROM mart.pages
WHERE strpos(declared_canonical, '#') > 0
