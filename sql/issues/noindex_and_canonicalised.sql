/*
title: Noindex and a canonical
severity: medium
category: indexability
definition: The page answers 200, asks not to be indexed, and declares another page as its canonical.
source: https://sitebulb.com/hints/indexability/
why_it_matters: >-
  One says that the page is worth nothing, the other that it is worth the same as another: search engines may take the
  noindex for both.
fix: Keep one of the two
mended_by: template
evidence: [is_noindex, is_canonicalised]
cases:
  has:
    - {status_code: 200, is_noindex: true, is_canonicalised: true, canonical_url: 'https://example.org/b'}
    - {status_code: 200, is_noindex: true, is_canonicalised: true, rel_canonical: /b}
    - {status_code: 200, is_noindex: true, is_canonicalised: true}
  has_not:
    - {status_code: 200, is_noindex: true, is_canonicalised: false}
    - {status_code: 301, is_noindex: true, is_canonicalised: true}
    - {status_code: 200, is_noindex: false, is_canonicalised: true}
*/
SELECT crawl_id, project_id, url, 'noindex, with the canonical ' || coalesce(canonical_url, rel_canonical, 'another page') AS why, canonical_url AS related_url
FROM mart.pages
WHERE status_code = 200 AND is_noindex AND is_canonicalised
