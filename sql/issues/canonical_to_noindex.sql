/*
title: Canonical to noindex
severity: high
category: canonicals
definition: >-
  The page answers 200, and its canonical is another URL that asks not to be indexed.
source: https://developers.google.com/search/docs/crawling-indexing/canonicalization-troubleshooting
why_it_matters: Neither of the two pages may be shown.
fix: Take noindex from the canonical, or declare another page
mended_by: template
evidence: [canonical_url]
*/
SELECT crawl_id, project_id, url, 'canonical ' || canonical_url || ' is noindex' AS why, canonical_url AS related_url
FROM mart.canonical_targets
WHERE is_target_noindex
