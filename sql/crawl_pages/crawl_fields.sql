/*
name: mart.crawl_fields
kind: view
description: >-
  One row for each field of the export of a crawl's pages, links, clusters or structured data. A NULL in a listed field
  comes from the service. A NULL in another field has no meaning.
grain: [crawl_id, dataset, field]
columns:
  crawl_id: Identifier of the crawl (ops.loads.source_id).
  dataset: crawl_pages, crawl_links, crawl_clusters or crawl_structured_data (ops.loads.dataset).
  field: Name of the field in the service (ops.unit_fields.field).
reads:
  ops.loads:
    unit: VARCHAR
    dataset: VARCHAR
    source_kind: VARCHAR
    source_id: VARCHAR
  ops.unit_fields:
    unit: VARCHAR
    field: VARCHAR
*/
SELECT DISTINCT
  loads.source_id AS crawl_id,
  loads.dataset,
  fields.field
FROM ops.loads AS loads
JOIN ops.unit_fields AS fields ON fields.unit = loads.unit
WHERE loads.source_kind = 'crawl'
