/*
title: Noindex with a canonical to another page
severity: medium
category: indexability
definition: The page returns 200, has noindex, and declares another page as its canonical.
source: https://sitebulb.com/hints/indexability/
why_it_matters: The two directives contradict each other. Search engines may apply noindex to both pages.
fix: Remove either the noindex or the canonical
owner: template
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
