/*
title: Short title
severity: low
category: titles_and_headings
definition: The page is indexable, and its title has 1 to $characters characters.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: It says less about the page than search results have room for.
fix: Say in it what sets the page apart
mended_by: content
evidence: [title_length]
thresholds: {characters: {default: 29, unit: characters}}
cases:
  has: [{is_indexable: true, title_length: 29}, {is_indexable: true, title_length: 1}]
  has_not:
    - {is_indexable: true, title_length: 30}
    - {is_indexable: true, title_length: 0}
    - {is_indexable: false, title_length: 29}
*/
SELECT crawl_id, project_id, url, CAST(title_length AS VARCHAR) || ' characters' AS why
FROM mart.pages
WHERE is_indexable AND title_length BETWEEN 1 AND $characters
