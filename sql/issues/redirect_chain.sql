/*
title: Redirect chain
severity: medium
category: redirects
definition: redirect_count is above $redirects, and the chain has an end (no redirect_loop).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Each hop costs time, and search engines follow only some of them at once.
fix: Let the first redirect lead to the final URL
mended_by: server
evidence: [redirect_count, is_redirect_loop, is_too_many_redirects]
thresholds: {redirects: {default: 1, unit: redirects}}
cases:
  has: [{redirect_count: 2}]
  has_not: [{redirect_count: 1}, {redirect_count: 2, is_redirect_loop: true}, {redirect_count: 20, is_too_many_redirects: true}]
*/
SELECT crawl_id, project_id, url, CAST(redirect_count AS VARCHAR) || ' redirects in a row' AS why, final_redirect_location AS related_url
FROM mart.pages
WHERE redirect_count > $redirects AND NOT (coalesce(is_redirect_loop, false) OR coalesce(is_too_many_redirects, false))
