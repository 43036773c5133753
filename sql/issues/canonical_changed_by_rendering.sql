/*
title: Canonical changed by rendering
severity: high
category: rendering
definition: The canonical in the page's HTML differs from the canonical after rendering.
source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
why_it_matters: Search engines see two canonicals, and may use either or neither.
fix: Declare the same canonical in the HTML and in the script, or remove it from the script
owner: template
evidence: [rel_canonical, unrendered_rel_canonical]
cases:
  has: [{rel_canonical: "https://example.org/a", unrendered_rel_canonical: "https://example.org/b"}]
  has_not:
    - {rel_canonical: "https://example.org/a", unrendered_rel_canonical: "https://example.org/a"}
    - {rel_canonical: "https://example.org/a"}
    - {unrendered_rel_canonical: "https://example.org/a"}
*/
SELECT crawl_id, project_id, url, unrendered_rel_canonical || ' becomes ' || rel_canonical AS why, canonical_url AS related_url
FROM mart.pages
WHERE rel_canonical <> unrendered_rel_canonical
