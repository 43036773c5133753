/*
title: Noarchive
severity: low
category: indexability
definition: The page is indexable, and its robots directives contain noarchive.
source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
why_it_matters: Search engines do not keep a copy of the page, and some do not quote it in their answers.
fix: Remove noarchive from the robots meta tag or X-Robots-Tag, unless it is intentional
owner: template
evidence: [meta_robots]
cases:
  has:
    - {is_indexable: true, meta_robots: [index, NOARCHIVE]}
    - {is_indexable: true, meta_robots: ['noarchive, follow']}
    - {is_indexable: true, meta_robots: ['follow, noarchive , all']}
  has_not: [{is_indexable: true, meta_robots: [index, follow]}, {is_indexable: false, meta_robots: [noarchive]}]
*/
SELECT crawl_id, project_id, url, 'robots directives contain noarchive' AS why
FROM mart.pages
WHERE is_indexable AND ',' || replace(lower(array_to_string(meta_robots, ',')), ' ', '') || ',' LIKE '%,noarchive,%'
