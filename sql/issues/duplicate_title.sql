/*
title: Duplicate title
severity: medium
category: titles_and_headings
definition: The page is indexable and has the same title as another page. Neither a canonical nor hreflang explains the duplicate (has_duplicate_title_issue).
source: https://developers.google.com/search/docs/appearance/title-link
why_it_matters: The title does not show users and search engines how the pages differ.
fix: Write a unique title
owner: content
needs: [related]
evidence: [has_duplicate_title_issue]
cases:
  has: [{is_indexable: true, has_duplicate_title_issue: true}]
  has_not:
    - {is_indexable: true, has_duplicate_title_issue: false}
    - {is_indexable: false, has_duplicate_title_issue: true}
*/
SELECT
  crawl_id,
  project_id,
  url,
  'shares its title with another page' AS why,
  CASE WHEN title IS NULL THEN NULL WHEN url = first_url THEN next_url ELSE first_url END AS related_url
FROM (
  SELECT
    crawl_id,
    project_id,
    url,
    title,
    is_indexable,
    has_duplicate_title_issue,
    min(url) OVER (PARTITION BY crawl_id, title) AS first_url,
    lead(url) OVER (PARTITION BY crawl_id, title ORDER BY url) AS next_url
  FROM mart.pages
  WHERE has_duplicate_title_issue OR title_evaluation = 'duplicated'
) AS same
WHERE is_indexable AND has_duplicate_title_issue
