/*
title: Only one internal link
severity: low
category: links
definition: The page is indexable and is not a file (is_resource). Exactly one internal link leads to it (nb_inlinks is 1).
source: https://sitebulb.com/hints/links/
why_it_matters: The page receives little link authority. If the link disappears, the page becomes an orphan.
fix: Link to the page from more related pages
owner: content
needs: [links]
related: linking_page
evidence: [nb_inlinks]
cases:
  has: [{is_indexable: true, nb_inlinks: 1}, {is_indexable: true, is_resource: false, nb_inlinks: 1}]
  has_not: [{is_indexable: true, is_resource: true, nb_inlinks: 1}, {is_indexable: true, nb_inlinks: 2}, {is_indexable: true, nb_inlinks: 0}, {is_indexable: false, nb_inlinks: 1}]
*/
SELECT crawl_id, project_id, url, '1 link leads to it' AS why
FROM mart.pages
WHERE is_indexable AND nb_inlinks = 1 AND NOT coalesce(is_resource, false)
