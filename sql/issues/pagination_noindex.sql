/*
title: Paginated page with noindex
severity: low
category: indexability
definition: The page returns 200, has noindex, and has a previous page (rel="prev").
source: https://sitebulb.com/hints/indexability/
why_it_matters: Search engines stop following the links on a noindex page, so they may miss the pages that it lists.
fix: Remove noindex from all pages of the series
owner: template
evidence: [rel_prev, is_noindex]
cases:
  has: [{status_code: 200, is_noindex: true, rel_prev: /page/1}]
  has_not:
    - {status_code: 200, is_noindex: false, rel_prev: /page/1}
    - {status_code: 200, is_noindex: true, rel_prev: ''}
    - {status_code: 404, is_noindex: true, rel_prev: /page/1}
*/
SELECT crawl_id, project_id, url, 'noindex, after ' || rel_prev AS why, rel_prev AS related_url
FROM mart.pages
WHERE status_code = 200 AND is_noindex AND rel_prev <> ''
