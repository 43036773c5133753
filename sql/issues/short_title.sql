/*
title: Short title
severity: low
category: titles_and_headings
definition: The page is indexable, and its title has 1 to $characters characters. A full-width character (Chinese, Japanese or Korean) counts as two.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search results have room for a longer title that describes the page better.
fix: Add words that describe the page to the title
owner: content
evidence: [title_length]
thresholds: {characters: {default: 29, unit: characters}}
cases:
  has: [{is_indexable: true, title_width: 29, title_length: 29}, {is_indexable: true, title_width: 1, title_length: 1}]
  has_not:
    - {is_indexable: true, title_width: 30, title_length: 30}
    - {is_indexable: true, title_width: 0, title_length: 0}
    - {is_indexable: false, title_width: 29, title_length: 29}
*/
SELECT crawl_id, project_id, url,
  CASE
    WHEN title_width > title_length THEN CAST(title_length AS VARCHAR) || ' characters, ' || CAST(title_width AS VARCHAR) || ' wide'
    ELSE CAST(title_width AS VARCHAR) || ' characters'
  END AS why
FROM mart.pages
WHERE is_indexable AND title_length IS NOT NULL AND title_width BETWEEN 1 AND $characters
