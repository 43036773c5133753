/*
title: Long title
severity: low
category: titles_and_headings
definition: The page is indexable, and its title has more than $characters characters (Screaming Frog uses 60, Sitebulb 65). A full-width character (Chinese, Japanese or Korean) counts as two.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search results truncate the title.
fix: Put the important words in the first 60 characters
owner: content
evidence: [title_length]
thresholds: {characters: {default: 60, unit: characters}}
cases:
  has: [{is_indexable: true, title_width: 61, title_length: 61}]
  has_not: [{is_indexable: true, title_width: 60, title_length: 60}, {is_indexable: false, title_width: 61, title_length: 61}]
*/
SELECT crawl_id, project_id, url,
  CASE
    WHEN title_width > title_length THEN CAST(title_length AS VARCHAR) || ' characters, ' || CAST(title_width AS VARCHAR) || ' wide'
    ELSE CAST(title_width AS VARCHAR) || ' characters'
  END AS why
FROM mart.pages
WHERE is_indexable AND title_length IS NOT NULL AND title_width > $characters
