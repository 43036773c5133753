/*
title: Short description
severity: low
category: titles_and_headings
definition: >-
  The page is indexable, and its description has 1 to $characters characters (Screaming Frog takes fewer than 70, the
  service fewer than 110).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search results may take another text of the page in its place.
fix: Say in it what the page offers
mended_by: content
evidence: [description_length]
thresholds: {characters: {default: 69, unit: characters}}
cases:
  has: [{is_indexable: true, description_length: 69}, {is_indexable: true, description_length: 1}]
  has_not:
    - {is_indexable: true, description_length: 70}
    - {is_indexable: true, description_length: 0}
    - {is_indexable: false, description_length: 69}
*/
SELECT crawl_id, project_id, url, CAST(description_length AS VARCHAR) || ' characters' AS why
FROM mart.pages
WHERE is_indexable AND description_length BETWEEN 1 AND $characters
