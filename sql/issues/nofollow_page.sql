/*
title: Nofollow for the whole page
severity: medium
category: indexability
definition: The page returns 200 and has nofollow (meta_robots_follow is false), but not noindex.
source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
why_it_matters: Search engines do not follow the links on the page, so they miss pages that only this page links to.
fix: Remove nofollow from the robots meta tag or X-Robots-Tag, or set rel="nofollow" on individual links
owner: template
evidence: [status_code, meta_robots_follow, is_noindex]
cases:
  has: [{status_code: 200, meta_robots_follow: false}, {status_code: 200, meta_robots_follow: false, is_noindex: false}]
  has_not: [{status_code: 200, meta_robots_follow: true}, {status_code: 404, meta_robots_follow: false}, {status_code: 200, meta_robots_follow: false, is_noindex: true}]
*/
SELECT crawl_id, project_id, url, 'nofollow for all links' AS why
FROM mart.pages
WHERE status_code = 200 AND NOT meta_robots_follow AND NOT coalesce(is_noindex, false)
