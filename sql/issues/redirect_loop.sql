/*
title: Redirect loop
severity: high
category: redirects
definition: The page's redirects never end, or the chain is too long (is_redirect_loop or is_too_many_redirects is true).
source: https://developers.google.com/search/docs/crawling-indexing/http-network-errors
why_it_matters: Browsers and search engines give up and show an error.
fix: Redirect the page to a page that returns 200
owner: server
evidence: [is_redirect_loop, is_too_many_redirects]
cases:
  has: [{is_redirect_loop: true}, {is_too_many_redirects: true}]
  has_not: [{is_redirect_loop: false, is_too_many_redirects: false}, {redirect_count: 16}]
*/
SELECT
  crawl_id,
  project_id,
  url,
  CASE WHEN redirect_location = url THEN 'redirects to itself' ELSE 'redirects without an end' END AS why,
  redirect_location AS related_url
FROM mart.pages
WHERE coalesce(is_redirect_loop, false) OR coalesce(is_too_many_redirects, false)
