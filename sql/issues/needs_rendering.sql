/*
title: Content only with JavaScript
severity: medium
category: rendering
definition: The page is a start page, and its HTML is only an application shell. The host sends the same HTML for every path (is_app_shell), and the crawl did not run scripts.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
why_it_matters: The crawl found neither the site's text nor its links. Like this crawl, many bots do not run scripts.
fix: Crawl the site with --render, and include the content in the HTML
owner: server
evidence: [is_app_shell, depth]
cases:
  has: [{is_app_shell: true, depth: 0}]
  has_not: [{is_app_shell: true, depth: 1}, {is_app_shell: false, depth: 0}, {is_app_shell: null, depth: 0}]
*/
SELECT crawl_id, project_id, url, 'one HTML for every path: crawl with --render' AS why
FROM mart.pages
WHERE is_app_shell AND depth = 0
