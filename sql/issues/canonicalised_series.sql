/*
title: Paginated page with a canonical to another page
severity: medium
category: canonicals
definition: The page has a previous page (rel="prev") and declares another page as its canonical.
source: https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading
why_it_matters: Search engines no longer find links that appear only on this page.
fix: Give each page of the series a self-referencing canonical
owner: template
evidence: [rel_prev, is_canonicalised]
cases:
  has: [{is_canonicalised: true, rel_prev: /page/1}]
  has_not: [{is_canonicalised: false, rel_prev: /page/1}, {is_canonicalised: true, rel_prev: ''}]
*/
SELECT crawl_id, project_id, url, 'canonical ' || coalesce(canonical_url, rel_canonical, 'another page') AS why, canonical_url AS related_url
FROM mart.pages
WHERE is_canonicalised AND rel_prev <> ''
