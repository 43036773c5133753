/*
title: Blocked by robots.txt, with links
severity: low
category: indexability
definition: robots.txt blocks the page, or can not be read, which blocks all pages, and links of the site lead to it.
source: https://developers.google.com/search/docs/crawling-indexing/robots/intro
why_it_matters: Search engines can not read the page, and may still list its URL without a text.
fix: Edit robots.txt so that it answers and allows the page, or remove the links to the page
mended_by: server
evidence: [is_robots_denied, nb_inlinks]
cases:
  has: [{is_robots_denied: true, nb_inlinks: 1}]
  has_not: [{is_robots_denied: true, nb_inlinks: 0}, {is_robots_denied: false, nb_inlinks: 1}]
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  CASE
    WHEN ',' || array_to_string(pages.processing_warnings, ',') || ',' LIKE '%,robots_unavailable,%'
      THEN 'robots.txt could not be read, so the page was not requested; '
    ELSE 'robots.txt blocks it; '
  END || CAST(pages.nb_inlinks AS VARCHAR) || CASE WHEN pages.nb_inlinks = 1 THEN ' link' ELSE ' links' END AS why,
  min(links.origin) AS related_url
FROM mart.pages AS pages
LEFT JOIN mart.links AS links
  ON links.crawl_id = pages.crawl_id AND links.target = pages.url AND links.origin <> pages.url
WHERE pages.is_robots_denied AND pages.nb_inlinks > 0
GROUP BY pages.crawl_id, pages.project_id, pages.url, pages.nb_inlinks, pages.processing_warnings
