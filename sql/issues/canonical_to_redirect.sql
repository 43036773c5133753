/*
title: Canonical to a redirect
severity: medium
category: canonicals
definition: >-
  The page answers 200, and its canonical is another URL that redirects.
source: https://developers.google.com/search/docs/crawling-indexing/canonicalization-troubleshooting
why_it_matters: Search engines may ignore a canonical that is not the final address.
fix: Declare the address that the redirect ends at
mended_by: template
evidence: [canonical_url]
*/
SELECT pages.crawl_id, pages.project_id, pages.url, 'canonical ' || pages.canonical_url || ' redirects' AS why, targets.url AS related_url
FROM mart.pages AS pages
JOIN mart.read_targets AS targets ON targets.crawl_id = pages.crawl_id AND targets.url = pages.canonical_url AND targets.url <> pages.url
WHERE pages.status_code = 200 AND pages.is_canonicalised AND targets.status_code BETWEEN 300 AND 399
