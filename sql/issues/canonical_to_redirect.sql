/*
title: Canonical to a redirect
severity: medium
category: canonicals
definition: The page returns 200, and its canonical is another URL that redirects.
source: https://developers.google.com/search/docs/crawling-indexing/canonicalization-troubleshooting
why_it_matters: Search engines may ignore a canonical that is not the final URL.
fix: Change the canonical to the final URL of the redirect
owner: template
evidence: [canonical_url]
*/
SELECT crawl_id, project_id, url, 'canonical ' || canonical_url || ' redirects' AS why, canonical_url AS related_url
FROM mart.canonical_targets
WHERE target_status_code BETWEEN 300 AND 399
