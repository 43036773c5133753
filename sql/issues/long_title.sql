/*
title: Long title
severity: low
category: titles_and_headings
definition: >-
  The page is indexable, and its title has more than $characters characters (Screaming Frog takes 60, Sitebulb 65).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search results cut it off.
fix: Say what matters within 60 characters
mended_by: content
evidence: [title_length]
thresholds: {characters: {default: 60, unit: characters}}
cases:
  has: [{is_indexable: true, title_length: 61}]
  has_not: [{is_indexable: true, title_length: 60}, {is_indexable: false, title_length: 61}]
*/
SELECT crawl_id, project_id, url, CAST(title_length AS VARCHAR) || ' characters' AS why
FROM mart.pages
WHERE is_indexable AND title_length > $characters
