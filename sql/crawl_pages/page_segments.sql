/*
name: mart.page_segments
kind: view
description: >-
  The project's own segmentations: one row for each page, crawl and segmentation that the page has a segment in, of
  whatever fields `page_group_*` the crawls have. A page that a segmentation has in several segments makes a row for
  each. What makes pages unique makes these rows unique, so it is tested in mart.pages alone.
grain: null
columns:
  crawl_id: Identifier of the crawl (raw.crawl_pages._crawl_id).
  project_id: Identifier of its project (raw.crawl_pages._project_id).
  url: Full URL of the page (raw.crawl_pages.url).
  segmentation: Name of the segmentation; the field's name after page_group_ (raw.crawl_pages.page_group_*).
  segment: Segment of the page, as text (raw.crawl_pages.page_group_*).
reads:
  raw.crawl_pages:
    _crawl_id: VARCHAR
    _project_id: VARCHAR
    url: VARCHAR
*/
-- `url` stands among the columns to turn as well, because a crawl without segmentations would leave none. As JSON, columns
-- of texts and of lists are of one type.
SELECT
  crawl_id,
  project_id,
  page AS url,
  substr(field, length('page_group_') + 1) AS segmentation,
  unnest(
    CASE
      WHEN json_type(segment) = 'ARRAY' THEN list_distinct(from_json(segment, '["VARCHAR"]'))
      WHEN json_type(segment) <> 'NULL' THEN [json_extract_string(segment, '$')]
    END
  ) AS segment
FROM (
  UNPIVOT (
    SELECT
      _crawl_id AS crawl_id,
      _project_id AS project_id,
      url AS page,
      to_json(COLUMNS(lambda name: name = 'url' OR starts_with(name, 'page_group_')))
    FROM raw.crawl_pages
  )
  ON COLUMNS(* EXCLUDE (crawl_id, project_id, page))
  INTO NAME field VALUE segment
)
WHERE field <> 'url'
