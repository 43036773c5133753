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
evidence: [nb_inlinks, follow_inlinks]
cases:
  has: [{is_indexable: true, nb_inlinks: 1, follow_inlinks: 0}]
  has_not:
    - {is_indexable: true, nb_inlinks: 2, follow_inlinks: 1}
    - {is_indexable: true, nb_inlinks: 0, follow_inlinks: 0}
    - {is_indexable: false, nb_inlinks: 1, follow_inlinks: 0}
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  CAST(pages.nb_inlinks AS VARCHAR) || CASE WHEN pages.nb_inlinks = 1 THEN ' link' ELSE ' links' END || ', none to be followed' AS why,
  min(links.origin) AS related_url
FROM mart.pages AS pages
LEFT JOIN mart.links AS links
  ON links.crawl_id = pages.crawl_id AND links.target = pages.url AND links.origin <> pages.url
WHERE pages.is_indexable AND pages.nb_inlinks > 0 AND pages.follow_inlinks = 0
GROUP BY pages.crawl_id, pages.project_id, pages.url, pages.nb_inlinks
