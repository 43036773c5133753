/*
name: mart.status_codes_by_segment
kind: table
description: >-
  The number of pages of each crawl and segment by HTTP status. A page in several segments counts in each; a page in no
  segment counts in none.
grain: [crawl_id, segmentation, segment, status_code]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  segmentation: Name of the segmentation (mart.page_segments.segmentation).
  segment: Segment (mart.page_segments.segment).
  status_code:
    description: HTTP status (mart.pages.status_code); NULL for pages without one, such as pages that were not fetched.
    nullable: true
  status_code_range: ok, redirect, client_error or server_error (mart.pages.status_code_range).
  pages: Number of pages with this status.
  pages_percent: Percentage of all pages of the segment, 0 to 100.
  share: Former name of pages_percent, as a part of 1; removed in version 3 of the contract.
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    project_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.pages, mart.page_segments]
  # A segmentation may be for the projects of a name or a host.
  partitions: |
    SELECT loads.source_id AS crawl_id, loads.loaded_at, projects.project_name, projects.start_url
    FROM ops.loads AS loads
    LEFT JOIN mart.projects AS projects ON projects.project_id = loads.project_id
    WHERE loads.dataset = 'crawl_pages'
*/
SELECT
  segments.crawl_id,
  max(segments.project_id) AS project_id,
  segments.segmentation,
  segments.segment,
  pages.status_code,
  max(pages.status_code_range) AS status_code_range,
  count(*) AS pages,
  CAST(100 * count(*) AS DOUBLE)
    / sum(count(*)) OVER (PARTITION BY segments.crawl_id, segments.segmentation, segments.segment) AS pages_percent,
  CAST(count(*) AS DOUBLE)
    / sum(count(*)) OVER (PARTITION BY segments.crawl_id, segments.segmentation, segments.segment) AS share
FROM mart.page_segments AS segments
JOIN mart.pages AS pages ON pages.crawl_id = segments.crawl_id AND pages.url = segments.url
GROUP BY segments.crawl_id, segments.segmentation, segments.segment, pages.status_code
