/*
name: mart.page_segments
kind: view
description: >-
  The segments of each page, one row for each page, crawl and segment of the project's own segmentations, and one for each
  saved filter that matches the page. The test of mart.pages also proves that these rows are unique.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  segmentation: Name of the segmentation (mart.page_groups.segmentation); (filter) for a file under sql/filters/.
  segment: Segment of the page, as text (mart.page_groups.segment); the name of the filter.
*/
SELECT crawl_id, project_id, url, page_key, url_key, segmentation, segment
FROM mart.page_groups

UNION ALL
SELECT
  crawl_id,
  project_id,
  url,
  crawl_id || ' ' || url AS page_key,
  project_id || ' ' || url AS url_key,
  '(filter)' AS segmentation,
  name AS segment
FROM filters.found
