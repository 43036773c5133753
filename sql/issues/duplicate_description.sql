/*
title: Duplicate description
severity: low
category: titles_and_headings
definition: The page is indexable and has the same description as another page. Neither a canonical nor hreflang explains the duplicate (has_duplicate_description_issue).
source: https://developers.google.com/search/docs/appearance/snippet
why_it_matters: The description does not show users and search engines how the pages differ.
fix: Write a unique description, such as <meta name="description" content="…">
owner: content
needs: [related]
evidence: [has_duplicate_description_issue]
cases:
  has: [{is_indexable: true, has_duplicate_description_issue: true}]
  has_not:
    - {is_indexable: true, has_duplicate_description_issue: false}
    - {is_indexable: false, has_duplicate_description_issue: true}
*/
SELECT
  crawl_id,
  project_id,
  url,
  'shares its description with another page' AS why,
  CASE WHEN meta_description IS NULL THEN NULL WHEN url = first_url THEN next_url ELSE first_url END AS related_url
FROM (
  SELECT
    crawl_id,
    project_id,
    url,
    meta_description,
    is_indexable,
    has_duplicate_description_issue,
    min(url) OVER (PARTITION BY crawl_id, meta_description) AS first_url,
    lead(url) OVER (PARTITION BY crawl_id, meta_description ORDER BY url) AS next_url
  FROM mart.pages
  WHERE has_duplicate_description_issue OR description_evaluation = 'duplicated'
) AS same
WHERE is_indexable AND has_duplicate_description_issue
