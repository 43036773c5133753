/*
name: mart.page_changes
kind: table
description: >-
  What changed on the pages of a project between a crawl and the one before it, both complete and of one
  configuration: one row for each page that came or went, and for each field of a page in both that differs. A field
  counts only where both exports tell it alike (mart.crawl_columns).
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
      status_code, is_indexable, title, h1, meta_description, rel_canonical.
    tests:
      - accepted_values: [added, removed, status_code, is_indexable, title, h1, meta_description, rel_canonical]
  before: The field's value in the earlier crawl, as text; NULL for a page that was added or removed.
  after: The field's value in the later crawl, as text; NULL for a page that was added or removed.
reads:
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
      pages.url, pages.status_code, pages.is_indexable, pages.title, pages.h1, pages.meta_description, pages.rel_canonical
    FROM pair
    JOIN mart.pages AS pages ON pages.crawl_id = pair.crawl_id
  ),

  earlier AS (
    SELECT
      pair.crawl_id, pair.previous_crawl_id, pair.project_id,
      pages.url, pages.status_code, pages.is_indexable, pages.title, pages.h1, pages.meta_description, pages.rel_canonical
    FROM pair
    JOIN mart.pages AS pages ON pages.crawl_id = pair.previous_crawl_id
  ),

  -- What the exports of both crawls tell alike: elsewhere a NULL says nothing.
  comparable AS (
    SELECT side.crawl_id, told.column_name AS field
    FROM (
      SELECT crawl_id, crawl_id AS side_id
      FROM pair
      UNION ALL
      SELECT crawl_id, previous_crawl_id
      FROM pair
    ) AS side
    JOIN mart.crawl_columns AS told ON told.crawl_id = side.side_id AND told.dataset = 'crawl_pages'
    GROUP BY side.crawl_id, told.column_name
    HAVING count(*) = 2 * count(DISTINCT told.part)
  ),

  -- Each page once, in one join: three of them would hold both crawls in memory three times.
  page AS (
    SELECT
      coalesce(later.crawl_id, earlier.crawl_id) AS crawl_id,
      coalesce(later.previous_crawl_id, earlier.previous_crawl_id) AS previous_crawl_id,
      coalesce(later.project_id, earlier.project_id) AS project_id,
      coalesce(later.url, earlier.url) AS url,
      CASE WHEN earlier.crawl_id IS NULL THEN 'added' WHEN later.crawl_id IS NULL THEN 'removed' END AS presence,
      CAST(earlier.status_code AS VARCHAR) AS former_status_code,
      CAST(earlier.is_indexable AS VARCHAR) AS former_is_indexable,
      CAST(earlier.title AS VARCHAR) AS former_title,
      CAST(earlier.h1 AS VARCHAR) AS former_h1,
      CAST(earlier.meta_description AS VARCHAR) AS former_meta_description,
      CAST(earlier.rel_canonical AS VARCHAR) AS former_rel_canonical,
      CAST(later.status_code AS VARCHAR) AS status_code,
      CAST(later.is_indexable AS VARCHAR) AS is_indexable,
      CAST(later.title AS VARCHAR) AS title,
      CAST(later.h1 AS VARCHAR) AS h1,
      CAST(later.meta_description AS VARCHAR) AS meta_description,
      CAST(later.rel_canonical AS VARCHAR) AS rel_canonical
    FROM later
    FULL JOIN earlier ON earlier.crawl_id = later.crawl_id AND earlier.url = later.url
  ),

  compared AS (
    SELECT
      page.crawl_id,
      page.previous_crawl_id,
      page.project_id,
      page.url,
      fields.field,
      coalesce(page.presence, fields.field) AS change,
      -- What is read of an answer is compared where the page answered alike: one that stops to has changed once.
      fields.field IN ('title', 'h1', 'meta_description', 'rel_canonical')
        AND page.former_status_code IS DISTINCT FROM page.status_code AS is_other_answer,
      CASE fields.field
        WHEN 'status_code' THEN page.former_status_code
        WHEN 'is_indexable' THEN page.former_is_indexable
        WHEN 'title' THEN page.former_title
        WHEN 'h1' THEN page.former_h1
        WHEN 'meta_description' THEN page.former_meta_description
        WHEN 'rel_canonical' THEN page.former_rel_canonical
      END AS "before",
      CASE fields.field
        WHEN 'status_code' THEN page.status_code
        WHEN 'is_indexable' THEN page.is_indexable
        WHEN 'title' THEN page.title
        WHEN 'h1' THEN page.h1
        WHEN 'meta_description' THEN page.meta_description
        WHEN 'rel_canonical' THEN page.rel_canonical
      END AS "after"
    FROM page
    JOIN (
      VALUES
        ('presence'), ('status_code'), ('is_indexable'), ('title'), ('h1'), ('meta_description'), ('rel_canonical')
    ) AS fields(field)
      ON (fields.field = 'presence') = (page.presence IS NOT NULL)
  )

SELECT
  compared.crawl_id, compared.previous_crawl_id, compared.project_id, compared.url,
  compared.crawl_id || ' ' || compared.url AS page_key, compared.project_id || ' ' || compared.url AS url_key,
  compared.change, compared."before", compared."after"
FROM compared
LEFT JOIN comparable ON comparable.crawl_id = compared.crawl_id AND comparable.field = compared.field
LEFT JOIN comparable AS answers ON answers.crawl_id = compared.crawl_id AND answers.field = 'status_code'
WHERE
  compared.field = 'presence'
  OR comparable.field IS NOT NULL
    AND compared."before" IS DISTINCT FROM compared."after"
    AND (answers.field IS NULL OR NOT compared.is_other_answer)
