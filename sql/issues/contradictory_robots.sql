/*
title: Contradictory robots directives
severity: medium
category: indexability
definition: The page's robots directives contain both index and noindex.
source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
why_it_matters: The stricter directive wins, so search engines do not index the page.
fix: Keep only the directive that you want, for example <meta name="robots" content="index">
owner: template
evidence: [meta_robots]
cases:
  has:
    - {meta_robots: [index, noindex]}
    - {meta_robots: ['index, NOINDEX']}
    - {meta_robots: [noindex, 'follow , index']}
    - {meta_robots: [noindex, index, follow]}
  has_not: [{meta_robots: [noindex]}, {meta_robots: [index]}, {meta_robots: [xnoindex, index]}]
*/
SELECT crawl_id, project_id, url, 'robots directives contain index and noindex' AS why
FROM mart.pages
WHERE ',' || replace(lower(array_to_string(meta_robots, ',')), ' ', '') || ',' LIKE '%,index,%'
  AND ',' || replace(lower(array_to_string(meta_robots, ',')), ' ', '') || ',' LIKE '%,noindex,%'
