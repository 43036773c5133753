/*
title: Long H1
severity: low
category: titles_and_headings
definition: The page is indexable, and its H1 has more than $characters characters.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: A heading that long is read by few.
fix: Shorten it to what the page is about
mended_by: content
evidence: [h1]
thresholds: {characters: {default: 70, unit: characters}}
cases:
  has: [{is_indexable: true, h1: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}]
  has_not:
    - {is_indexable: true, h1: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}
    - {is_indexable: false, h1: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}
*/
SELECT crawl_id, project_id, url, CAST(length(h1) AS VARCHAR) || ' characters' AS why
FROM mart.pages
WHERE is_indexable AND length(h1) > $characters
