/*
title: Nofollow links only
severity: medium
category: links
definition: The page is indexable, nb_inlinks is above 0, and follow_inlinks is 0.
source: https://sitebulb.com/hints/links/
why_it_matters: The site asks search engines not to follow any link to the page.
fix: Take nofollow away from links to it
mended_by: template
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
  CAST(nb_inlinks AS VARCHAR) || CASE WHEN nb_inlinks = 1 THEN ' link' ELSE ' links' END || ', none to be followed' AS why
FROM mart.pages
WHERE is_indexable AND nb_inlinks > 0 AND follow_inlinks = 0
