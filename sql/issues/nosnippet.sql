/*
title: Nosnippet
severity: low
category: indexability
definition: The page is indexable, and its robots directives contain nosnippet.
source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
why_it_matters: Search results show the page without a snippet, so fewer users click it.
fix: Remove nosnippet from the robots meta tag or X-Robots-Tag, unless it is intentional
owner: template
evidence: [meta_robots]
cases:
  has:
    - {is_indexable: true, meta_robots: [index, NOSNIPPET]}
    - {is_indexable: true, meta_robots: ['nosnippet, follow']}
    - {is_indexable: true, meta_robots: ['follow, nosnippet , all']}
  has_not: [{is_indexable: true, meta_robots: [index, follow]}, {is_indexable: false, meta_robots: [nosnippet]}]
*/
SELECT crawl_id, project_id, url, 'robots directives contain nosnippet' AS why
FROM mart.pages
WHERE is_indexable AND ',' || replace(lower(array_to_string(meta_robots, ',')), ' ', '') || ',' LIKE '%,nosnippet,%'
