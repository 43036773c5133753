/*
title: Links with generic anchor text
severity: low
category: links
definition: The page is indexable and contains links with generic text, such as "click here" or "read more" (num_links_generic_text is above 0).
source: https://developers.google.com/search/docs/crawling-indexing/links-crawlable
why_it_matters: The anchor text does not describe the linked page.
fix: Describe the linked page in the anchor text, for example <a href="/tea">Green tea</a>
owner: content
evidence: [num_links_generic_text]
cases:
  has: [{is_indexable: true, num_links_generic_text: 1}]
  has_not: [{is_indexable: true, num_links_generic_text: 0}, {is_indexable: false, num_links_generic_text: 1}]
*/
SELECT crawl_id, project_id, url, CAST(num_links_generic_text AS VARCHAR) || ' internal links with a generic text' AS why
FROM mart.pages
WHERE is_indexable AND num_links_generic_text > 0
