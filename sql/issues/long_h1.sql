/*
title: Long H1
severity: low
category: titles_and_headings
definition: The page is indexable, and its H1 has more than $characters characters. A full-width character (Chinese, Japanese or Korean) counts as two.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Few users read such a long heading.
fix: Reduce the H1 to the page's topic
owner: content
evidence: [h1]
thresholds: {characters: {default: 70, unit: characters}}
cases:
  has: [{is_indexable: true, h1_width: 71}]
  has_not:
    - {is_indexable: true, h1_width: 70}
    - {is_indexable: false, h1_width: 71}
*/
SELECT crawl_id, project_id, url,
  CASE
    WHEN h1_width > length(h1) THEN CAST(length(h1) AS VARCHAR) || ' characters, ' || CAST(h1_width AS VARCHAR) || ' wide'
    ELSE CAST(h1_width AS VARCHAR) || ' characters'
  END AS why
FROM mart.pages
WHERE is_indexable AND h1_width > $characters
