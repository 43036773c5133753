/*
title: Noindex added by rendering
severity: medium
category: rendering
definition: >-
  The page says noindex after scripts ran, and does not before, and it is not like the answer for a page that does not exist
  (like_missing_page): such a view of a single-page application is right to say noindex.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
why_it_matters: The page leaves the index once it is rendered; who does not render it keeps it.
fix: Say noindex in the HTML, if it is meant
mended_by: template
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
