/*
title: Deep page
severity: low
category: links
definition: The page is indexable and more than $depth clicks from the home page (depth).
source: https://sitebulb.com/hints/internal/
why_it_matters: Users and search engines visit pages far from the home page less often.
fix: Link to the page from pages closer to the home page
owner: content
evidence: [depth]
thresholds: {depth: {default: 5, unit: clicks}}
cases:
  has: [{is_indexable: true, depth: 6}]
  has_not: [{is_indexable: true, depth: 5}, {is_indexable: false, depth: 6}]
*/
SELECT crawl_id, project_id, url, CAST(depth AS VARCHAR) || ' clicks from the start' AS why
FROM mart.pages
WHERE is_indexable AND depth > $depth
