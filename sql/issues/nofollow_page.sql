/*
title: Nofollow for the whole page
severity: medium
category: indexability
definition: The page answers 200, meta_robots_follow is false, and is_noindex is not true.
source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
why_it_matters: None of its links is followed, so pages that only it links to are not found.
fix: Take nofollow away, or set it on single links
mended_by: template
evidence: [status_code, meta_robots_follow, is_noindex]
cases:
  has: [{status_code: 200, meta_robots_follow: false}, {status_code: 200, meta_robots_follow: false, is_noindex: false}]
  has_not: [{status_code: 200, meta_robots_follow: true}, {status_code: 404, meta_robots_follow: false}, {status_code: 200, meta_robots_follow: false, is_noindex: true}]
*/
SELECT crawl_id, project_id, url, 'its links are not to be followed' AS why
FROM mart.pages
WHERE status_code = 200 AND NOT meta_robots_follow AND NOT coalesce(is_noindex, false)
