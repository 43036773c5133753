/*
title: Canonical to an error
severity: high
category: canonicals
definition: >-
  The page answers 200, and its canonical is another URL that answers 400 to 599.
source: https://developers.google.com/search/docs/crawling-indexing/canonicalization-troubleshooting
why_it_matters: The page asks to be left out in favour of one that can not be shown.
fix: Declare a page that answers 200
mended_by: template
evidence: [canonical_url]
*/
SELECT crawl_id, project_id, url, 'canonical ' || canonical_url || ' answers ' || CAST(target_status_code AS VARCHAR) AS why, canonical_url AS related_url
FROM mart.canonical_targets
WHERE target_status_code BETWEEN 400 AND 599
