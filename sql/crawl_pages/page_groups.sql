/*
name: mart.page_groups
kind: view
description: >-
  The project's own segmentations, from the service (all fields `page_group_*` of the crawls) and from segments.yaml. One
  row for each page, crawl and segmentation in which the page has a segment. A page with several segments in a segmentation
  of the service has a row for each. A segmentation of segments.yaml replaces one with the same name in its projects. The
  test of mart.pages also proves that these rows are unique.
grain: null
columns:
  crawl_id: Identifier of the crawl (raw.crawl_pages._crawl_id).
  project_id: Identifier of its project (raw.crawl_pages._project_id).
  url: Full URL of the page (raw.crawl_pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  segmentation: >-
    Name of the segmentation: in segments.yaml, or the field's name after page_group_ (raw.crawl_pages.page_group_*).
  segment: Segment of the page, as text (segments.yaml, or raw.crawl_pages.page_group_*).
reads:
  raw.crawl_pages:
    _crawl_id: VARCHAR
    _project_id: VARCHAR
    url: VARCHAR
each: {source: raw.crawl_pages, fields: [page_group_*]}
*/
SELECT
  pages._crawl_id AS crawl_id,
  pages._project_id AS project_id,
  pages.url,
  pages._crawl_id || ' ' || pages.url AS page_key,
  pages._project_id || ' ' || pages.url AS url_key,
  substr('each', length('page_group_') + 1) AS segmentation,
  pages."each" AS segment
FROM raw.crawl_pages AS pages
WHERE pages._project_id NOT IN (
  SELECT replaced.project_id
  FROM segments.replaced AS replaced
  WHERE replaced.segmentation = substr('each', length('page_group_') + 1)
)

UNION ALL
SELECT crawl_id, project_id, url, page_key, url_key, segmentation, segment
FROM segments.found
