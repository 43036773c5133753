/*
name: mart.structured_data
kind: view
description: >-
  Items of structured data, as the crawl found them on its pages. There is no grain, because a page may contain the same
  item twice.
grain: null
columns:
  crawl_id: {description: Identifier of the crawl (raw.crawl_structured_data._crawl_id)., tests: [not_null]}
  project_id: Identifier of its project (raw.crawl_structured_data._project_id).
  url:
    description: Full URL of the page, as in mart.pages (raw.crawl_structured_data.url).
    tests: [{not_null: true, severity: warn}]
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  format: json-ld, rdfa or microdata (raw.crawl_structured_data.format).
  type: Type of the item, such as Product (raw.crawl_structured_data.type).
  position: Position of the item on its page, from 0 (raw.crawl_structured_data.position).
  valid: Whether the item has all properties that its type requires (raw.crawl_structured_data.valid).
  missing_properties: >-
    Properties that the item's type requires but the item lacks (raw.crawl_structured_data.missing_properties).
  item: The item itself, as JSON (raw.crawl_structured_data.item).
  _load_id: >-
    Run and unit that loaded the row, separated by a space (raw.crawl_structured_data._run_id,
    raw.crawl_structured_data._unit). ops.tombstones contains it once the row is replaced or removed.
  _loaded_at: When the row was loaded (raw.crawl_structured_data._loaded_at).
reads:
  raw.crawl_structured_data:
    _crawl_id: VARCHAR
    _project_id: VARCHAR
    _unit: VARCHAR
    _run_id: VARCHAR
    _loaded_at: TIMESTAMP WITH TIME ZONE
    url: VARCHAR
    format: VARCHAR
    type: VARCHAR
    position: BIGINT
    valid: BOOLEAN
    missing_properties: VARCHAR[]
    item: JSON
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  partitions: SELECT source_id AS crawl_id, loaded_at FROM ops.loads WHERE dataset = 'crawl_structured_data'
*/
SELECT
  _crawl_id AS crawl_id,
  _project_id AS project_id,
  url,
  _crawl_id || ' ' || url AS page_key,
  _project_id || ' ' || url AS url_key,
  format,
  type,
  position,
  valid,
  missing_properties,
  item,

  _run_id || ' ' || _unit AS _load_id,
  _loaded_at
FROM raw.crawl_structured_data
