/*
title: Page could not be rendered
severity: medium
category: rendering
definition: The crawler failed to render the page, for example because of an endless script or a lack of memory.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/fix-search-javascript
why_it_matters: Search engines may fail in the same way. The page's fields come from its HTML before rendering.
fix: Read the page's warnings in raw.crawl_pages.processing_warnings, and fix its scripts
owner: template
evidence: [rendered]
cases:
  has: [{rendered: false}]
  has_not: [{rendered: true}, {rendered: null}]
*/
SELECT crawl_id, project_id, url, 'not rendered' AS why
FROM mart.pages
WHERE NOT rendered
