/*
title: No internal links on the page
severity: medium
category: links
definition: The page is indexable, and its only internal links, if any, are to itself (internal_outlinks is at most nb_links_self_referencing). Application shells (is_app_shell) are excluded.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Users and search engines cannot reach other pages from this page.
fix: Add links to related pages
owner: content
evidence: [internal_outlinks]
cases:
  has: [{is_indexable: true, internal_outlinks: 0}, {is_indexable: true, internal_outlinks: 2, nb_links_self_referencing: 2}]
  has_not: [{is_indexable: true, internal_outlinks: 1}, {is_indexable: true, internal_outlinks: 0, is_app_shell: true}, {is_indexable: true, internal_outlinks: 2, nb_links_self_referencing: 1}, {is_indexable: false, internal_outlinks: 0}]
*/
SELECT crawl_id, project_id, url, 'no links to other pages of the site' AS why
FROM mart.pages
WHERE is_indexable AND internal_outlinks <= coalesce(nb_links_self_referencing, 0) AND NOT coalesce(is_app_shell, false)
