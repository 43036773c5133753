/*
name: mart.page_lists
kind: view
description: >-
  The fields of pages that are lists, as a bridge: one row for each page, crawl, field and different value.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL, as a key of one column.
  field: >-
    sources, sitemaps_file_origin, meta_robots, clusters, semantic_types, hreflang_hrefs, hreflang_langs or
    hreflang_errors; mart.pages says what each holds.
  value: One of the values in the list.
*/
WITH listed AS (
  SELECT pages.crawl_id, pages.project_id, pages.url, 'sources' AS field, items.item AS value
  FROM mart.pages AS pages
  CROSS JOIN UNNEST(pages.sources) AS items(item)

  UNION ALL
  SELECT pages.crawl_id, pages.project_id, pages.url, 'sitemaps_file_origin' AS field, items.item AS value
  FROM mart.pages AS pages
  CROSS JOIN UNNEST(pages.sitemaps_file_origin) AS items(item)

  UNION ALL
  SELECT pages.crawl_id, pages.project_id, pages.url, 'meta_robots' AS field, items.item AS value
  FROM mart.pages AS pages
  CROSS JOIN UNNEST(pages.meta_robots) AS items(item)

  UNION ALL
  SELECT pages.crawl_id, pages.project_id, pages.url, 'clusters' AS field, items.item AS value
  FROM mart.pages AS pages
  CROSS JOIN UNNEST(pages.clusters) AS items(item)

  UNION ALL
  SELECT pages.crawl_id, pages.project_id, pages.url, 'semantic_types' AS field, items.item AS value
  FROM mart.pages AS pages
  CROSS JOIN UNNEST(pages.semantic_types) AS items(item)

  UNION ALL
  SELECT pages.crawl_id, pages.project_id, pages.url, 'hreflang_hrefs' AS field, items.item AS value
  FROM mart.pages AS pages
  CROSS JOIN UNNEST(pages.hreflang_hrefs) AS items(item)

  UNION ALL
  SELECT pages.crawl_id, pages.project_id, pages.url, 'hreflang_langs' AS field, items.item AS value
  FROM mart.pages AS pages
  CROSS JOIN UNNEST(pages.hreflang_langs) AS items(item)

  UNION ALL
  SELECT pages.crawl_id, pages.project_id, pages.url, 'hreflang_errors' AS field, items.item AS value
  FROM mart.pages AS pages
  CROSS JOIN UNNEST(pages.hreflang_errors) AS items(item)
)

SELECT DISTINCT
  crawl_id,
  project_id,
  url,
  crawl_id || ' ' || url AS page_key,
  field,
  value
FROM listed
WHERE value IS NOT NULL
