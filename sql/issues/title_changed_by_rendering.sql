/*
title: Title changed by rendering
severity: low
category: rendering
definition: The page is indexable, and its title after rendering differs from the title in its HTML.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
why_it_matters: Search results and link previews may show either title.
fix: Put the final title in the HTML
owner: template
evidence: [rendered, title, unrendered_title]
cases:
  has:
    - {is_indexable: true, rendered: true, title: Shoes, unrendered_title: Loading}
    - {is_indexable: true, rendered: true, title: Shoes}
    - {is_indexable: true, rendered: true, unrendered_title: Loading}
  has_not:
    - {is_indexable: true, rendered: true, title: Shoes, unrendered_title: Shoes}
    - {is_indexable: true, rendered: true}
    - {is_indexable: true, title: Shoes}
    - {is_indexable: false, rendered: true, title: Shoes}
*/
SELECT crawl_id, project_id, url, coalesce(unrendered_title, 'no title') || ' becomes ' || coalesce(title, 'no title') AS why
FROM mart.pages
WHERE is_indexable AND rendered AND coalesce(title, '') <> coalesce(unrendered_title, '')
