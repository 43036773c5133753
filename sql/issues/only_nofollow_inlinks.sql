/*
title: Only nofollow links
severity: medium
category: links
definition: The page is indexable, and all links to it have nofollow (nb_inlinks is above 0, and follow_inlinks is 0).
source: https://sitebulb.com/hints/links/
why_it_matters: The site tells search engines not to follow any link to the page.
fix: Remove rel="nofollow" from links to the page
owner: template
needs: [links]
related: linking_page
evidence: [nb_inlinks, follow_inlinks]
cases:
  has: [{is_indexable: true, nb_inlinks: 1, follow_inlinks: 0}]
  has_not:
    - {is_indexable: true, nb_inlinks: 2, follow_inlinks: 1}
    - {is_indexable: true, nb_inlinks: 0, follow_inlinks: 0}
    - {is_indexable: false, nb_inlinks: 1, follow_inlinks: 0}
*/
SELECT
  crawl_id,
  project_id,
  url,
  CAST(nb_inlinks AS VARCHAR) || CASE WHEN nb_inlinks = 1 THEN ' link' ELSE ' links' END || ', all nofollow' AS why
FROM mart.pages
WHERE is_indexable AND nb_inlinks > 0 AND follow_inlinks = 0
