/*
title: Canonical with a fragment
severity: medium
category: canonicals
definition: The page's canonical (declared_canonical) contains a fragment, as in /page#top.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: Search engines ignore the fragment, and may ignore the whole canonical.
fix: Remove the fragment from the canonical, so that /page#top becomes /page
owner: template
evidence: [rel_canonical]
cases:
  has: [{declared_canonical: 'https://example.org/a#b'}]
  has_not: [{declared_canonical: 'https://example.org/a'}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || declared_canonical AS why, canonical_url AS related_url
FROM mart.pages
WHERE strpos(declared_canonical, '#') > 0
