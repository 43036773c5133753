/*
title: Noindex removed by rendering
severity: high
category: rendering
definition: The page has noindex in its HTML, but not after rendering.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
why_it_matters: Search engines may skip rendering if the HTML contains noindex, and therefore never index the page.
fix: Remove noindex from the HTML
owner: template
evidence: [meta_robots_index, unrendered_meta_robots_index]
cases:
  has: [{meta_robots_index: true, unrendered_meta_robots_index: false}]
  has_not:
    - {meta_robots_index: false, unrendered_meta_robots_index: false}
    - {meta_robots_index: true, unrendered_meta_robots_index: true}
    - {meta_robots_index: true}
*/
SELECT crawl_id, project_id, url, 'noindex only in the HTML' AS why
FROM mart.pages
WHERE meta_robots_index AND NOT unrendered_meta_robots_index
