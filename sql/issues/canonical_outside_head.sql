/*
title: Canonical outside the head
severity: medium
category: canonicals
definition: The page returns 200, and an element outside its head declares a canonical (canonical_outside_head) that the head does not declare.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: Search engines ignore a canonical in the body. Often, an element that is not allowed in the head closes the head early.
fix: Move the canonical into the head, before any element such as div, img or iframe
owner: template
evidence: [canonical_outside_head, rel_canonical]
cases:
  has: [{status_code: 200, canonical_outside_head: a}, {status_code: 200, canonical_outside_head: a, rel_canonical: b}]
  has_not: [{status_code: 200, canonical_outside_head: a, rel_canonical: a}, {status_code: 200, rel_canonical: a}, {status_code: 404, canonical_outside_head: a}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || canonical_outside_head || ' does not count' AS why, canonical_outside_head AS related_url
FROM mart.pages
WHERE status_code = 200 AND canonical_outside_head IS NOT NULL AND canonical_outside_head IS DISTINCT FROM rel_canonical
