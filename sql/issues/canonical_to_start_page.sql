/*
title: Canonical to the start page
severity: high
category: canonicals
definition: The page answers 200, is neither the start page of its host nor another name of it,
  such as /index.html, and declares that one as its canonical.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: >-
  The page asks to be left out of search results in favour of the start page; mostly a template has the wrong address.
fix: Let the page declare itself as its canonical
mended_by: template
evidence: [canonical_url]
cases:
  has:
    - {status_code: 200, urlpath: /a, url_host: example.org, canonical_url: 'https://example.org/'}
    - {status_code: 200, urlpath: /a, url_host: example.org, canonical_url: 'http://example.org/'}
  has_not:
    - {status_code: 200, urlpath: /, url_host: example.org, canonical_url: 'https://example.org/'}
    - {status_code: 200, urlpath: /a, url_host: example.org, canonical_url: 'https://example.org/a'}
    - {status_code: 200, urlpath: /index.html, url_host: example.org, canonical_url: 'https://example.org/'}
    - {status_code: 200, urlpath: /Home, url_host: example.org, canonical_url: 'https://example.org/'}
    - {status_code: 200, urlpath: /default.aspx, url_host: example.org, canonical_url: 'https://example.org/'}
    - {status_code: 404, urlpath: /a, url_host: example.org, canonical_url: 'https://example.org/'}
*/
SELECT crawl_id, project_id, url, 'canonical ' || canonical_url AS why, canonical_url AS related_url
FROM mart.pages
WHERE status_code = 200
  AND regexp_replace(lower(urlpath), '^/(index|default|home|start|main)?([.][a-z]+)?/?$', '') <> ''
  AND canonical_url IN ('https://' || lower(url_host) || '/', 'http://' || lower(url_host) || '/')
