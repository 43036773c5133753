/*
title: Noindex in a series of pages
severity: low
category: indexability
definition: The page answers 200, is noindex, and declares a page before it (rel_prev).
source: https://sitebulb.com/hints/indexability/
why_it_matters: >-
  Search engines stop following the links of a page that stays noindex, so what the series lists may be lost.
fix: Let pages of a series be indexed
mended_by: template
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
