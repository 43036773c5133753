/*
title: Long description
severity: low
category: titles_and_headings
definition: The page is indexable, and its description has at least $characters characters (the service uses 170 or more, Screaming Frog more than 155). A full-width character (Chinese, Japanese or Korean) counts as two.
source: https://developers.google.com/search/docs/appearance/snippet
why_it_matters: Search results truncate the description.
fix: Put the important information in the first 160 characters
owner: content
evidence: [description_length]
thresholds: {characters: {default: 170, unit: characters}}
cases:
  has: [{is_indexable: true, description_width: 170, description_length: 170}]
  has_not: [{is_indexable: true, description_width: 169, description_length: 169}, {is_indexable: false, description_width: 170, description_length: 170}]
*/
SELECT crawl_id, project_id, url,
  CASE
    WHEN description_width > description_length THEN CAST(description_length AS VARCHAR) || ' characters, ' || CAST(description_width AS VARCHAR) || ' wide'
    ELSE CAST(description_width AS VARCHAR) || ' characters'
  END AS why
FROM mart.pages
WHERE is_indexable AND description_length IS NOT NULL AND description_width >= $characters
