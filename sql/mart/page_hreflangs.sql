/*
name: mart.page_hreflangs
kind: view
description: >-
  The language versions that pages declare, one row for each page, crawl and declaration. A page that declares the same
  URL for two languages has two rows.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL of the page that contains the declaration (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  place: Place of the declaration on the page, from 1.
  lang: >-
    Language and region of the declaration (mart.pages.hreflang_langs); NULL if the page has a different number of
    languages than of URLs, so it is unknown which ones belong together.
  href: URL of the declaration (mart.pages.hreflang_hrefs).
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  pages.page_key,
  pages.url_key,
  hrefs.place,
  CASE
    WHEN array_length(pages.hreflang_langs) = array_length(pages.hreflang_hrefs)
      THEN list_extract(pages.hreflang_langs, hrefs.place)
  END AS lang,
  hrefs.href
FROM mart.pages AS pages
CROSS JOIN UNNEST(pages.hreflang_hrefs) WITH ORDINALITY AS hrefs(href, place)
-- The length keeps pages without declarations out of the join.
WHERE array_length(pages.hreflang_hrefs) > 0 AND hrefs.href IS NOT NULL
