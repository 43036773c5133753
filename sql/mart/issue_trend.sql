/*
name: mart.issue_trend
kind: view
description: >-
  The number of pages with an issue over the crawls of a configuration. The rows are those of mart.issue_changes with
  the end and the number of each crawl, so a single SELECT returns the data for a line chart.
grain: [crawl_id, issue]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  project_name: Name of its project (mart.projects.project_name); NULL if the project is not loaded.
  crawl_config_id: Identifier of its configuration (mart.crawls.crawl_config_id); NULL if its record is not loaded.
  crawl_config_name: Name of that configuration (mart.crawls.crawl_config_name).
  crawl_number: >-
    1 for the first crawl of its project and configuration that ended (mart.crawls.crawl_number); NULL if its end is
    unknown.
  ended_at: When the crawl ended, a point in time (mart.crawls.ended_at).
  is_complete: >-
    Whether the crawl requested all pages that links lead to (mart.crawls.is_complete). An incomplete crawl has fewer
    pages, and therefore fewer pages with an issue.
  is_comparable: Whether other crawls may be compared with this crawl (mart.crawls.is_comparable).
  issue: Name of the issue (mart.issues.issue).
  pages: >-
    Number of pages with the issue, 0 if there are none; NULL if the crawl's exports, hits or demand do not show the
    issue (mart.issue_changes.pages).
  new_pages: Pages with the issue that did not have it in the previous crawl (mart.issue_changes.new_pages).
  fixed_pages: Pages that had it in the previous crawl and no longer do (mart.issue_changes.fixed_pages).
  missing_pages: Pages that had it in the previous crawl and were not read again (mart.issue_changes.missing_pages).
  crawl_pages: Number of all pages of the crawl (mart.crawls.pages).
*/
SELECT
  changes.crawl_id,
  changes.project_id,
  crawls.project_name,
  crawls.crawl_config_id,
  crawls.crawl_config_name,
  crawls.crawl_number,
  crawls.ended_at,
  crawls.is_complete,
  crawls.is_comparable,
  changes.issue,
  changes.pages,
  changes.new_pages,
  changes.fixed_pages,
  changes.missing_pages,
  crawls.pages AS crawl_pages
FROM mart.issue_changes AS changes
JOIN mart.crawls AS crawls ON crawls.crawl_id = changes.crawl_id
