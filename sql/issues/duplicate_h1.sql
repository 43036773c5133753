/*
title: Duplicate H1
severity: low
category: titles_and_headings
definition: The page is indexable and has the same H1 as another page. Neither a canonical nor hreflang explains the duplicate (has_duplicate_h1_issue).
source: https://developers.google.com/search/docs/appearance/title-link
why_it_matters: The H1 does not show users and search engines how the pages differ.
fix: Write a unique H1
owner: content
needs: [related]
evidence: [has_duplicate_h1_issue]
cases:
  has: [{is_indexable: true, has_duplicate_h1_issue: true}]
  has_not: [{is_indexable: true, has_duplicate_h1_issue: false}, {is_indexable: false, has_duplicate_h1_issue: true}]
*/
SELECT
  crawl_id,
  project_id,
  url,
  'shares its H1 with another page' AS why,
  CASE WHEN h1 IS NULL THEN NULL WHEN url = first_url THEN next_url ELSE first_url END AS related_url
FROM (
  SELECT
    crawl_id,
    project_id,
    url,
    h1,
    is_indexable,
    has_duplicate_h1_issue,
    min(url) OVER (PARTITION BY crawl_id, h1) AS first_url,
    lead(url) OVER (PARTITION BY crawl_id, h1 ORDER BY url) AS next_url
  FROM mart.pages
  WHERE has_duplicate_h1_issue OR h1_evaluation = 'duplicated'
) AS same
WHERE is_indexable AND has_duplicate_h1_issue
