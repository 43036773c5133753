/*
title: Canonical to a noindex page
severity: high
category: canonicals
definition: The page returns 200, and its canonical is another URL that has noindex.
source: https://developers.google.com/search/docs/crawling-indexing/canonicalization-troubleshooting
why_it_matters: Search engines may show neither page.
fix: Remove noindex from the canonical page, or declare another canonical
owner: template
evidence: [canonical_url]
*/
SELECT crawl_id, project_id, url, 'canonical ' || canonical_url || ' has noindex' AS why, canonical_url AS related_url
FROM mart.canonical_targets
WHERE is_target_noindex
