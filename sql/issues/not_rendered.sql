/*
title: Page that can not be rendered
severity: medium
category: rendering
definition: The crawler tried to render the page and could not, as by an endless script or for want of memory.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/fix-search-javascript
why_it_matters: A search engine may fail at the page in the same way; its fields are those of its HTML.
fix: Look at the warnings of the page in raw.crawl_pages.processing_warnings
mended_by: template
evidence: [rendered]
cases:
  has: [{rendered: false}]
  has_not: [{rendered: true}, {rendered: null}]
*/
SELECT crawl_id, project_id, url, 'not rendered' AS why
FROM mart.pages
WHERE NOT rendered
