/*
title: Relative canonical
severity: low
category: canonicals
definition: rel_canonical has neither a scheme nor a host.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: A relative address changes its meaning with the page that holds it, as on a test host.
fix: Write the canonical as a full URL
evidence: [rel_canonical]
cases:
  has: [{rel_canonical: /a}]
  has_not: [{rel_canonical: 'https://example.org/a'}, {rel_canonical: //example.org/a}, {rel_canonical: ''}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || rel_canonical AS why
FROM mart.pages
WHERE rel_canonical <> '' AND strpos(rel_canonical, '://') = 0 AND NOT starts_with(trim(rel_canonical), '//')
