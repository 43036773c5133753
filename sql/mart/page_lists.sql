/*
name: mart.page_lists
kind: view
description: The list fields of pages, one row for each page, crawl, field and distinct value.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  field: >-
    sources, sitemaps_file_origin, meta_robots, clusters, semantic_types, hreflang_hrefs, hreflang_langs,
    hreflang_errors, or a list field that the project defines (custom_*); mart.pages describes each field.
  item: One of the values in the list, as text.
renamed: {value: item}
reads:
  raw.crawl_pages:
    _crawl_id: VARCHAR
    _project_id: VARCHAR
    url: VARCHAR
each:
  source: raw.crawl_pages
  fields:
    - sources
    - sitemaps_file_origin
    - meta_robots
    - clusters
    - semantic_types
    - hreflang_hrefs
    - hreflang_langs
    - hreflang_errors
    - custom_*
  lists_only: true
*/
SELECT
  pages._crawl_id AS crawl_id,
  pages._project_id AS project_id,
  pages.url,
  pages._crawl_id || ' ' || pages.url AS page_key,
  pages._project_id || ' ' || pages.url AS url_key,
  'each' AS field,
  pages."each" AS item
FROM raw.crawl_pages AS pages
