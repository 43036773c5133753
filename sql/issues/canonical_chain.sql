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
SELECT pages.crawl_id, pages.project_id, pages.url, 'canonical ' || pages.canonical_url || ' declares ' || targets.canonical_url AS why, targets.url AS related_url
FROM mart.pages AS pages
JOIN mart.read_targets AS targets ON targets.crawl_id = pages.crawl_id AND targets.url = pages.canonical_url AND targets.url <> pages.url
WHERE pages.status_code = 200 AND pages.is_canonicalised AND targets.is_canonicalised
