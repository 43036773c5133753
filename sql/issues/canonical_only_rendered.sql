/*
title: Canonical only after rendering
severity: low
category: rendering
definition: The page has a canonical after rendering, but none in its HTML.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
why_it_matters: Search engines see the canonical only after rendering. They advise against adding a canonical with a script.
fix: Include the canonical in the HTML, for example <link rel="canonical" href="https://example.com/page">
owner: template
evidence: [rendered, rel_canonical, unrendered_rel_canonical]
cases:
  has: [{rendered: true, rel_canonical: "https://example.org/a"}]
  has_not:
    - {rendered: true, rel_canonical: "https://example.org/a", unrendered_rel_canonical: "https://example.org/a"}
    - {rendered: false, rel_canonical: "https://example.org/a"}
    - {rel_canonical: "https://example.org/a"}
    - {rendered: true}
*/
SELECT crawl_id, project_id, url, 'canonical ' || rel_canonical AS why, canonical_url AS related_url
FROM mart.pages
WHERE rendered AND rel_canonical IS NOT NULL AND unrendered_rel_canonical IS NULL
