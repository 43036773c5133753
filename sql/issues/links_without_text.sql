/*
title: Links without anchor text
severity: low
category: links
definition: The page is indexable and contains links without text (num_links_without_text is above 0).
source: https://developers.google.com/search/docs/crawling-indexing/links-crawlable
why_it_matters: Users and search engines cannot tell where the links lead.
fix: Add text to each link, or alt text to its image
owner: content
evidence: [num_links_without_text]
cases:
  has: [{is_indexable: true, num_links_without_text: 1}]
  has_not: [{is_indexable: true, num_links_without_text: 0}, {is_indexable: false, num_links_without_text: 1}]
*/
SELECT crawl_id, project_id, url, CAST(num_links_without_text AS VARCHAR) || ' internal links without text' AS why
FROM mart.pages
WHERE is_indexable AND num_links_without_text > 0
