/*
title: Redirect chain
severity: medium
category: redirects
definition: The page starts a chain of more than $redirects redirects (redirect_count) that do not form a loop (redirect_loop).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Each redirect costs time, and search engines follow only a few in a row.
fix: Redirect the first URL directly to the final URL
owner: server
evidence: [redirect_count, is_redirect_loop, is_too_many_redirects]
thresholds: {redirects: {default: 1, unit: redirects}}
cases:
  has: [{redirect_count: 2}]
  has_not: [{redirect_count: 1}, {redirect_count: 2, is_redirect_loop: true}, {redirect_count: 20, is_too_many_redirects: true}]
*/
SELECT crawl_id, project_id, url, CAST(redirect_count AS VARCHAR) || ' redirects in a row' AS why, final_redirect_location AS related_url
FROM mart.pages
WHERE redirect_count > $redirects AND NOT (coalesce(is_redirect_loop, false) OR coalesce(is_too_many_redirects, false))
