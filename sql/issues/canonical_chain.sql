/*
title: Chain of canonicals
severity: medium
category: canonicals
definition: >-
  The page answers 200, and its canonical is another URL that declares yet another one.
source: https://developers.google.com/search/docs/crawling-indexing/canonicalization-troubleshooting
why_it_matters: Search engines get two answers to which page to show.
fix: Declare the last page of the chain
mended_by: template
evidence: [canonical_url]
*/
SELECT crawl_id, project_id, url, 'canonical ' || canonical_url || ' declares ' || target_canonical_url AS why, canonical_url AS related_url
FROM mart.canonical_targets
WHERE is_target_canonicalised
