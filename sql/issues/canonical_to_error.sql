/*
title: Canonical to an error page
severity: high
category: canonicals
definition: The page returns 200, and its canonical is another URL that returns a status of 400 to 599.
source: https://developers.google.com/search/docs/crawling-indexing/canonicalization-troubleshooting
why_it_matters: The page asks search engines to show a page that does not work.
fix: Change the canonical to a page that returns 200
owner: template
evidence: [canonical_url]
*/
SELECT crawl_id, project_id, url, 'canonical ' || canonical_url || ' answers ' || CAST(target_status_code AS VARCHAR) AS why, canonical_url AS related_url
FROM mart.canonical_targets
WHERE target_status_code BETWEEN 400 AND 599
