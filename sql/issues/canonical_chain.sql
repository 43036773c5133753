/*
title: Canonical chain
severity: medium
category: canonicals
definition: The page returns 200, and its canonical is another URL, which declares a third URL as its own canonical.
source: https://developers.google.com/search/docs/crawling-indexing/canonicalization-troubleshooting
why_it_matters: Search engines receive conflicting information about which page to show.
fix: Change the page's canonical to the last page of the chain
owner: template
evidence: [canonical_url]
*/
SELECT crawl_id, project_id, url, 'canonical ' || canonical_url || ' declares ' || target_canonical_url AS why, canonical_url AS related_url
FROM mart.canonical_targets
WHERE is_target_canonicalised
