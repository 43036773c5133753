/*
name: mart.crawl_columns
kind: view
description: >-
  The columns for which the export of a crawl has data. One row for each field of the export, and for each part of a column
  of mart.pages that is made of several fields. A NULL in a column without a row has no meaning. You can compare a column of
  two crawls if both have the same parts of it.
grain: [crawl_id, dataset, column_name, part]
columns:
  crawl_id: Identifier of the crawl (mart.crawl_fields.crawl_id).
  dataset: crawl_pages, crawl_links, crawl_clusters or crawl_structured_data (mart.crawl_fields.dataset).
  column_name: Name of the field, or of the column of mart.pages.
  part: >-
    What the column shows: status, range, robots, noindex, canonical, declared or service (the service's verdict, in
    raw.crawl_pages.indexable); the name of the field where the column is that field.
*/
WITH
  -- One of the fields of a part is enough.
  parts AS (
    SELECT part, field
    FROM (
      VALUES
        ('status', 'status_code'),
        ('range', 'status_code'),
        ('range', 'status_code_range'),
        ('robots', 'robots_txt_denied'),
        ('robots', 'fetch_status'),
        ('noindex', 'meta_robots_index'),
        ('noindex', 'meta_robots'),
        ('canonical', 'canonical_evaluation'),
        ('canonical', 'rel_canonical'),
        ('declared', 'rel_canonical'),
        ('service', 'indexable')
    ) AS parts(part, field)
  ),

  made AS (
    SELECT column_name, part
    FROM (
      VALUES
        ('status_code_range', 'range'),
        ('is_indexable', 'status'),
        ('is_indexable', 'robots'),
        ('is_indexable', 'noindex'),
        ('is_indexable', 'canonical'),
        ('is_indexable', 'service'),
        ('non_indexable_reason', 'status'),
        ('non_indexable_reason', 'robots'),
        ('non_indexable_reason', 'noindex'),
        ('non_indexable_reason', 'canonical'),
        ('non_indexable_reason', 'service'),
        ('is_robots_denied', 'robots'),
        ('is_noindex', 'noindex'),
        ('is_canonicalised', 'canonical'),
        ('canonical_kind', 'canonical'),
        ('canonical_kind', 'declared'),
        ('canonical_url', 'declared')
    ) AS made(column_name, part)
  )

SELECT crawl_id, dataset, field AS column_name, field AS part
FROM mart.crawl_fields
WHERE NOT (dataset = 'crawl_pages' AND field IN (SELECT column_name FROM made))

UNION ALL
SELECT DISTINCT fields.crawl_id, fields.dataset, made.column_name, made.part
FROM mart.crawl_fields AS fields
JOIN parts ON parts.field = fields.field
JOIN made ON made.part = parts.part
WHERE fields.dataset = 'crawl_pages'
