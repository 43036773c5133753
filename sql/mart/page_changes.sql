/*
name: mart.page_changes
kind: table
description: >-
  Changes on the pages of a project between a crawl and the previous one, if both are comparable and have the same
  configuration. One row for each page that was added, removed, moved or is missing, and for each field of a page that
  differs between the crawls. A field counts only if both exports have it (mart.crawl_columns) and both crawls read the
  page (mart.page_comparison). A title, H1 or description that differs only in its Unicode form (NFC, NFD) is unchanged.
grain: [crawl_id, url, change]
columns:
  crawl_id: Identifier of the later crawl.
  previous_crawl_id: Identifier of the previous crawl (mart.crawls.previous_crawl_id).
  project_id: Identifier of their project.
  url: Full URL of the page (raw.crawl_pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  change:
    description: >-
      added (a new URL), removed (the page is gone: it returns 404 or 410, or redirects to another page), moved (the
      page is now at moved_to), missing (the crawl did not read it), or the field that differs: status_code,
      is_indexable, title, h1, meta_description, rel_canonical.
    tests:
      - accepted_values: [added, removed, moved, missing, status_code, is_indexable, title, h1, meta_description, rel_canonical]
  before: The field's value in the earlier crawl, as text; NULL unless change is a field.
  after: The field's value in the later crawl, as text; NULL unless change is a field.
  reason: >-
    Why a page is missing (mart.page_comparison.reason); for a removed page, gone or merged.
  moved_to: URL at which a page that moved or merged is now (mart.page_comparison.moved_to).
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.crawls, mart.page_comparison]
  # A crawl that comes late, goes or comes again changes what the next one is compared with.
  partitions: |
    SELECT crawls.crawl_id, crawls.previous_crawl_id, crawls.project_id, loads.source_id, loads.loaded_at
    FROM mart.crawls AS crawls
    JOIN ops.loads AS loads
      ON loads.source_id = crawls.crawl_id OR loads.source_id = crawls.previous_crawl_id
    WHERE loads.dataset IN ('crawl_pages', 'crawl_requests') AND crawls.previous_crawl_id IS NOT NULL
tests:
  - name: a field that changed has two values
    query: >-
      SELECT * FROM mart.page_changes WHERE change NOT IN ('added', 'removed', 'moved', 'missing') AND "before" IS NOT
      DISTINCT FROM "after"
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
      pages.url, pages.status_code, pages.is_indexable, pages.title, pages.h1, pages.meta_description, pages.rel_canonical,
      coalesce(pages.observation, 'read') IN ('read', 'gone') AS is_answered, pages.observation_reason
    FROM pair
    JOIN mart.pages AS pages ON pages.crawl_id = pair.crawl_id
  ),

  earlier AS (
    SELECT
      pair.crawl_id, pair.previous_crawl_id, pair.project_id,
      pages.url, pages.status_code, pages.is_indexable, pages.title, pages.h1, pages.meta_description, pages.rel_canonical,
      coalesce(pages.observation, 'read') IN ('read', 'gone') AS is_answered, pages.observation_reason
    FROM pair
    JOIN mart.pages AS pages ON pages.crawl_id = pair.previous_crawl_id
  ),

  -- The columns that both exports contain. Elsewhere a NULL means nothing.
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

  page AS (
    SELECT
      later.crawl_id,
      later.previous_crawl_id,
      later.project_id,
      later.url,
      coalesce(comparison.is_observed AND comparison.is_observed_before, true) AS is_read,
      -- A page that robots.txt blocks now cannot be indexed: robots.txt was read.
      earlier.is_answered AND (later.is_answered OR coalesce(later.observation_reason = 'blocked_by_robots', false))
        AS is_judged,
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
    JOIN earlier ON earlier.crawl_id = later.crawl_id AND earlier.url = later.url
    LEFT JOIN mart.page_comparison AS comparison
      ON comparison.crawl_id = later.crawl_id AND comparison.url = later.url
  ),

  compared AS (
    SELECT
      page.crawl_id,
      page.previous_crawl_id,
      page.project_id,
      page.url,
      fields.field,
      CASE fields.field
        -- Any status is an answer. Without an answer, nothing is known.
        WHEN 'status_code' THEN page.status_code IS NOT NULL AND page.former_status_code IS NOT NULL OR page.is_read
        WHEN 'is_indexable' THEN page.is_judged
        -- The content of an answer is compared only where the page answered alike. A page that stops answering has one
        -- change.
        ELSE page.is_read
      END AS is_comparable,
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
    CROSS JOIN (
      VALUES ('status_code'), ('is_indexable'), ('title'), ('h1'), ('meta_description'), ('rel_canonical')
    ) AS fields(field)
  )

SELECT
  compared.crawl_id, compared.previous_crawl_id, compared.project_id, compared.url,
  compared.crawl_id || ' ' || compared.url AS page_key, compared.project_id || ' ' || compared.url AS url_key,
  compared.field AS change, compared."before", compared."after",
  CAST(NULL AS VARCHAR) AS reason, CAST(NULL AS VARCHAR) AS moved_to
FROM compared
JOIN comparable ON comparable.crawl_id = compared.crawl_id AND comparable.field = compared.field
LEFT JOIN comparable AS answers ON answers.crawl_id = compared.crawl_id AND answers.field = 'status_code'
WHERE compared.is_comparable
  AND compared."before" IS DISTINCT FROM compared."after"
  -- The same text in another form of Unicode (NFC, NFD) is no change.
  AND (
    compared.field NOT IN ('title', 'h1', 'meta_description')
    OR nfc_normalize(compared."before") IS DISTINCT FROM nfc_normalize(compared."after")
  )
  AND (answers.field IS NULL OR NOT compared.is_other_answer)

UNION ALL
SELECT
  crawl_id, previous_crawl_id, project_id, url, page_key, url_key,
  CASE WHEN comparison IN ('gone', 'merged') THEN 'removed' ELSE comparison END,
  CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR),
  CASE WHEN comparison IN ('gone', 'merged') THEN comparison ELSE reason END,
  moved_to
FROM mart.page_comparison
WHERE comparison <> 'unseen' AND (comparison <> 'missing' OR is_observed_before)
