/*
name: mart.page_changes
kind: table
description: >-
  What changed on the pages of a project between a crawl and the one before it, both complete and of one
  configuration: one row for each page that came or went, and for each field of a page in both that differs. A field
  counts only where both exports had it.
grain: [crawl_id, url, change]
columns:
  crawl_id: Identifier of the later crawl.
  previous_crawl_id: Identifier of the crawl before it (mart.crawls.previous_crawl_id).
  project_id: Identifier of their project.
  url: Full URL of the page (raw.crawl_pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  change:
    description: >-
      added (only the later crawl has the page), removed (only the earlier one has), or the field that differs:
      status_code, title, rel_canonical, h1.
    tests:
      - accepted_values: [added, removed, status_code, title, rel_canonical, h1]
  before: The field's value in the earlier crawl, as text; NULL for a page that was added or removed.
  after: The field's value in the later crawl, as text; NULL for a page that was added or removed.
reads:
  ops.unit_fields:
    unit: VARCHAR
    field: VARCHAR
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.crawls]
  # A crawl that comes late, goes or comes again changes what the next one is compared with.
  partitions: |
    SELECT crawls.crawl_id, crawls.previous_crawl_id, crawls.project_id, loads.source_id, loads.loaded_at
    FROM mart.crawls AS crawls
    JOIN ops.loads AS loads
      ON loads.source_id = crawls.crawl_id OR loads.source_id = crawls.previous_crawl_id
    WHERE loads.dataset = 'crawl_pages' AND crawls.previous_crawl_id IS NOT NULL
tests:
  - name: a field that changed has two values
    query: >-
      SELECT * FROM mart.page_changes
      WHERE change NOT IN ('added', 'removed') AND "before" IS NOT DISTINCT FROM "after"
*/
WITH
  pair AS (
    SELECT crawl_id, previous_crawl_id, project_id
    FROM mart.crawls
    WHERE previous_crawl_id IS NOT NULL
  ),

  later AS (
    SELECT
      pair.crawl_id, pair.previous_crawl_id, pair.project_id,
      pages.url, pages.status_code, pages.title, pages.rel_canonical, pages.h1
    FROM pair
    JOIN mart.pages AS pages ON pages.crawl_id = pair.crawl_id
  ),

  earlier AS (
    SELECT
      pair.crawl_id, pair.previous_crawl_id, pair.project_id,
      pages.url, pages.status_code, pages.title, pages.rel_canonical, pages.h1
    FROM pair
    JOIN mart.pages AS pages ON pages.crawl_id = pair.previous_crawl_id
  ),

  -- Fields that the exports of both crawls had: elsewhere a NULL says nothing.
  comparable AS (
    SELECT DISTINCT pair.crawl_id, field.field
    FROM pair
    JOIN ops.unit_fields AS field ON field.unit = 'crawl_pages/' || pair.crawl_id
    JOIN ops.unit_fields AS former
      ON former.unit = 'crawl_pages/' || pair.previous_crawl_id AND former.field = field.field
  ),

  differing AS (
    SELECT
      later.crawl_id,
      later.previous_crawl_id,
      later.project_id,
      later.url,
      fields.change,
      CASE fields.change
        WHEN 'status_code' THEN CAST(earlier.status_code AS VARCHAR)
        WHEN 'title' THEN CAST(earlier.title AS VARCHAR)
        WHEN 'rel_canonical' THEN CAST(earlier.rel_canonical AS VARCHAR)
        ELSE CAST(earlier.h1 AS VARCHAR)
      END AS "before",
      CASE fields.change
        WHEN 'status_code' THEN CAST(later.status_code AS VARCHAR)
        WHEN 'title' THEN CAST(later.title AS VARCHAR)
        WHEN 'rel_canonical' THEN CAST(later.rel_canonical AS VARCHAR)
        ELSE CAST(later.h1 AS VARCHAR)
      END AS "after"
    FROM later
    JOIN earlier ON earlier.crawl_id = later.crawl_id AND earlier.url = later.url
    CROSS JOIN (VALUES ('status_code'), ('title'), ('rel_canonical'), ('h1')) AS fields(change)
  )

SELECT
  differing.crawl_id, differing.previous_crawl_id, differing.project_id, differing.url,
  differing.crawl_id || ' ' || differing.url AS page_key, differing.project_id || ' ' || differing.url AS url_key,
  differing.change, differing."before", differing."after"
FROM differing
JOIN comparable ON comparable.crawl_id = differing.crawl_id AND comparable.field = differing.change
WHERE differing."before" IS DISTINCT FROM differing."after"

UNION ALL
SELECT
  later.crawl_id, later.previous_crawl_id, later.project_id, later.url,
  later.crawl_id || ' ' || later.url, later.project_id || ' ' || later.url,
  'added', NULL, NULL
FROM later
WHERE NOT EXISTS (SELECT 1 FROM earlier WHERE earlier.crawl_id = later.crawl_id AND earlier.url = later.url)

UNION ALL
SELECT
  earlier.crawl_id, earlier.previous_crawl_id, earlier.project_id, earlier.url,
  earlier.crawl_id || ' ' || earlier.url, earlier.project_id || ' ' || earlier.url,
  'removed', NULL, NULL
FROM earlier
WHERE NOT EXISTS (SELECT 1 FROM later WHERE later.crawl_id = earlier.crawl_id AND later.url = earlier.url)
