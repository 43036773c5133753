/*
title: Long URL
severity: low
category: urls
definition: The page is indexable, and its URL has more than $characters characters (Screaming Frog uses 115).
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Search results truncate long URLs, and long URLs may break when people share them.
fix: Shorten the URL the next time you change it; a long URL alone does not justify a redirect
owner: content
evidence: [is_indexable]
thresholds: {characters: {default: 115, unit: characters}}
cases:
  has:
    - {is_indexable: true, url: 'https://example.org/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}
  has_not:
    - {is_indexable: true, url: 'https://example.org/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}
    - {is_indexable: false, url: 'https://example.org/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}
*/
SELECT crawl_id, project_id, url, CAST(length(url) AS VARCHAR) || ' characters' AS why
FROM mart.pages
WHERE is_indexable AND length(url) > $characters
