/*
title: Short description
severity: low
category: titles_and_headings
definition: The page is indexable, and its description has 1 to $characters characters (Screaming Frog uses fewer than 70, the service fewer than 110). A full-width character (Chinese, Japanese or Korean) counts as two.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search results may show other text from the page instead.
fix: Write a description that tells users what the page offers
owner: content
evidence: [description_length]
thresholds: {characters: {default: 69, unit: characters}}
cases:
  has: [{is_indexable: true, description_width: 69, description_length: 69}, {is_indexable: true, description_width: 1, description_length: 1}]
  has_not:
    - {is_indexable: true, description_width: 70, description_length: 70}
    - {is_indexable: true, description_width: 0, description_length: 0}
    - {is_indexable: false, description_width: 69, description_length: 69}
*/
SELECT crawl_id, project_id, url,
  CASE
    WHEN description_width > description_length THEN CAST(description_length AS VARCHAR) || ' characters, ' || CAST(description_width AS VARCHAR) || ' wide'
    ELSE CAST(description_width AS VARCHAR) || ' characters'
  END AS why
FROM mart.pages
WHERE is_indexable AND description_length IS NOT NULL AND description_width BETWEEN 1 AND $characters
