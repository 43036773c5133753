/*
name: mart.status_codes_by_crawl
kind: table
description: The number of pages of each crawl by HTTP status.
grain: [crawl_id, status_code]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  ended_at: When the crawl ended, a point in time; NULL if its record is not loaded.
  status_code:
    description: >-
      HTTP status (raw.crawl_pages.status_code); NULL for pages without one, such as pages that were not fetched.
    nullable: true
  status_code_range: ok, redirect, client_error or server_error (raw.crawl_pages.status_code_range).
  pages: Number of pages with this status.
  pages_percent: Percentage of all pages of the crawl, 0 to 100.
  share: Former name of pages_percent, as a part of 1; removed in version 3 of the contract.
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  partitions: |
    SELECT loads.source_id AS crawl_id, loads.loaded_at, crawls.ended_at
    FROM ops.loads AS loads
    LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = loads.source_id
    WHERE loads.dataset = 'crawl_pages'
tests:
  - name: percentages of a crawl add up to 100
    query: SELECT crawl_id FROM mart.status_codes_by_crawl GROUP BY crawl_id HAVING abs(sum(pages_percent) - 100) > 1e-9
*/
SELECT
  pages.crawl_id,
  max(pages.project_id) AS project_id,
  max(crawls.ended_at) AS ended_at,
  pages.status_code,
  max(pages.status_code_range) AS status_code_range,
  count(*) AS pages,
  CAST(100 * count(*) AS DOUBLE) / sum(count(*)) OVER (PARTITION BY pages.crawl_id) AS pages_percent,
  CAST(count(*) AS DOUBLE) / sum(count(*)) OVER (PARTITION BY pages.crawl_id) AS share
FROM mart.pages AS pages
LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id
GROUP BY pages.crawl_id, pages.status_code
