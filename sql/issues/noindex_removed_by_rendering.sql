/*
title: Noindex removed by rendering
severity: high
category: rendering
definition: The page says noindex before scripts ran, and does not after.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
why_it_matters: Search engines may not render a page whose HTML says noindex, so it stays out of their index.
fix: Take noindex out of the HTML
mended_by: template
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
