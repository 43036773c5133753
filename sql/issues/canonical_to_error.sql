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
SELECT pages.crawl_id, pages.project_id, pages.url, 'canonical ' || pages.canonical_url || ' answers ' || CAST(targets.status_code AS VARCHAR) AS why, targets.url AS related_url
FROM mart.pages AS pages
JOIN mart.read_targets AS targets ON targets.crawl_id = pages.crawl_id AND targets.url = pages.canonical_url AND targets.url <> pages.url
WHERE pages.status_code = 200 AND pages.is_canonicalised AND targets.status_code BETWEEN 400 AND 599
