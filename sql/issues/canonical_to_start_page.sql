/*
title: Canonical to the home page
severity: high
category: canonicals
definition: The page returns 200 and declares its host's home page as its canonical. The page's URL is neither the home page's URL nor an alternative URL of the home page, such as /index.html.
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: The page asks search engines to show the home page instead. The usual cause is a wrong URL in a template.
fix: Change the canonical to the page's own URL
owner: template
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
