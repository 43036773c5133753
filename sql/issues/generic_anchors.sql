/*
title: Links with generic text
severity: low
category: links
definition: The page is indexable, and num_links_generic_text is above 0, as for click here or read more.
source: https://developers.google.com/search/docs/crawling-indexing/links-crawlable
why_it_matters: The text says nothing of the page that it leads to.
fix: Write what the linked page is about
mended_by: content
evidence: [num_links_generic_text]
cases:
  has: [{is_indexable: true, num_links_generic_text: 1}]
  has_not: [{is_indexable: true, num_links_generic_text: 0}, {is_indexable: false, num_links_generic_text: 1}]
*/
SELECT crawl_id, project_id, url, CAST(num_links_generic_text AS VARCHAR) || ' internal links with a generic text' AS why
FROM mart.pages
WHERE is_indexable AND num_links_generic_text > 0
