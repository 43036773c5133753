/*
title: Noindex added by rendering
severity: medium
category: rendering
definition: The page has noindex after rendering, but not in its HTML. Pages that look like the response for a missing page (like_missing_page) are excluded, because single-page applications should add noindex to such pages.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
why_it_matters: Search engines that render the page drop it, while others keep it.
fix: Add noindex to the HTML if it is intentional, or remove it from the script
owner: template
evidence: [meta_robots_index, unrendered_meta_robots_index, like_missing_page]
cases:
  has:
    - {meta_robots_index: false, unrendered_meta_robots_index: true}
    - {meta_robots_index: false, unrendered_meta_robots_index: true, like_missing_page: false}
  has_not:
    - {meta_robots_index: false, unrendered_meta_robots_index: true, like_missing_page: true}
    - {meta_robots_index: false, unrendered_meta_robots_index: false}
    - {meta_robots_index: true, unrendered_meta_robots_index: true}
    - {meta_robots_index: false}
*/
SELECT crawl_id, project_id, url, 'noindex only after scripts ran' AS why
FROM mart.pages
WHERE NOT meta_robots_index AND unrendered_meta_robots_index AND NOT coalesce(like_missing_page, false)
