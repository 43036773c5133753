/*
title: Nofollow on internal links
severity: low
category: links
definition: The page is indexable and contains internal links with nofollow (internal_nofollow_outlinks is above 0).
source: https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links
why_it_matters: The site tells search engines not to follow links to its own pages.
fix: Remove rel="nofollow" from links to pages of the site
owner: template
evidence: [internal_nofollow_outlinks]
cases:
  has: [{is_indexable: true, internal_nofollow_outlinks: 1}]
  has_not: [{is_indexable: true, internal_nofollow_outlinks: 0}, {is_indexable: false, internal_nofollow_outlinks: 1}]
*/
SELECT crawl_id, project_id, url, CAST(internal_nofollow_outlinks AS VARCHAR) || ' internal links with nofollow' AS why
FROM mart.pages
WHERE is_indexable AND internal_nofollow_outlinks > 0
