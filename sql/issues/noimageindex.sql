/*
title: Noimageindex
severity: low
category: indexability
definition: The page is indexable, and its robots directives contain noimageindex.
source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
why_it_matters: Image search does not show the page's images.
fix: Remove noimageindex from the robots meta tag or X-Robots-Tag, unless it is intentional
owner: template
evidence: [meta_robots]
cases:
  has:
    - {is_indexable: true, meta_robots: [index, NOIMAGEINDEX]}
    - {is_indexable: true, meta_robots: ['noimageindex, follow']}
    - {is_indexable: true, meta_robots: ['follow, noimageindex , all']}
  has_not: [{is_indexable: true, meta_robots: [index, follow]}, {is_indexable: false, meta_robots: [noimageindex]}]
*/
SELECT crawl_id, project_id, url, 'robots directives contain noimageindex' AS why
FROM mart.pages
WHERE is_indexable AND ',' || replace(lower(array_to_string(meta_robots, ',')), ' ', '') || ',' LIKE '%,noimageindex,%'
