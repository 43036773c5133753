/*
title: Canonical to HTTP
severity: medium
category: security
definition: The URL begins with https://, and its canonical (rel_canonical) begins with http://.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: The page asks search engines to list its unencrypted URL.
fix: Change the canonical to the https:// URL
owner: template
evidence: [rel_canonical]
cases:
  has: [{url: 'https://example.org/a', rel_canonical: 'http://example.org/a'}]
  has_not:
    - {url: 'https://example.org/a', rel_canonical: 'https://example.org/a'}
    - {url: 'http://example.org/a', rel_canonical: 'http://example.org/a'}
*/
SELECT crawl_id, project_id, url, 'canonical ' || rel_canonical AS why, canonical_url AS related_url
FROM mart.pages
WHERE starts_with(url, 'https://') AND starts_with(trim(rel_canonical), 'http://')
