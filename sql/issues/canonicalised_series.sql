/*
title: Canonical in a series of pages
severity: medium
category: canonicals
definition: The page declares a page before it (rel_prev), and another page as its canonical.
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: What only this page of the series lists is found by search engines no more.
fix: Let each page of a series declare itself as its canonical
mended_by: template
evidence: [rel_prev, is_canonicalised]
cases:
  has: [{is_canonicalised: true, rel_prev: /page/1}]
  has_not: [{is_canonicalised: false, rel_prev: /page/1}, {is_canonicalised: true, rel_prev: ''}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || coalesce(canonical_url, rel_canonical, 'another page') AS why, canonical_url AS related_url
FROM mart.pages
WHERE is_canonicalised AND rel_prev <> ''
