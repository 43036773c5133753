/*
title: Links only after rendering
severity: low
category: rendering
definition: The page returns 200, and rendering adds links to pages that its HTML does not link to.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
why_it_matters: Search engines find the linked pages only after they render this page.
fix: Include the links in the HTML, for example <a href="/tea">Green tea</a>
owner: template
evidence: [status_code, outlinks_only_rendered]
cases:
  has: [{status_code: 200, outlinks_only_rendered: 1}, {status_code: 200, outlinks_only_rendered: 2}]
  has_not: [{status_code: 200, outlinks_only_rendered: 0}, {status_code: 404, outlinks_only_rendered: 1}]
*/
SELECT crawl_id, project_id, url, CAST(outlinks_only_rendered AS VARCHAR) || CASE WHEN outlinks_only_rendered = 1 THEN ' link' ELSE ' links' END AS why
FROM mart.pages
WHERE status_code = 200 AND outlinks_only_rendered > 0
