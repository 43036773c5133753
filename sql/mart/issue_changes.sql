/*
name: mart.issue_changes
kind: table
description: >-
  One row for each crawl with pages and issue, with the number of pages that have the issue and the changes since the
  previous crawl (mart.crawls.previous_crawl_id). pages = new + remaining + unseen, and previous_pages = fixed + missing
  + remaining. An issue that is switched off for the project has no row. Issues that depend on days have a row only in
  the latest crawls. They are not compared, because the days of two crawls differ. Web vitals of a sample of pages are
  not compared either.
grain: [crawl_id, issue]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  issue: Name of the issue (mart.issues.issue).
  pages: >-
    Number of pages with the issue, 0 if there are none; NULL if the crawl's exports lack a field that shows the issue,
    if its days have no hits or demand (mart.issues.evidence), or if the issue needs all links or sitemaps and the crawl
    did not read them (mart.issues.needs).
  previous_crawl_id: Crawl that the crawl is compared with; NULL if there is none.
  previous_pages: Number of pages that had the issue in the previous crawl; NULL if they are not compared.
  new_pages: >-
    Pages that have the issue and did not have it in the previous crawl, which read these pages, or read all links and
    found no link to them; NULL if they are not compared. A page that moved is compared with what it was at its old URL.
  fixed_pages: >-
    Pages that had the issue in the previous crawl, were requested again, and no longer have the issue or are gone; NULL
    if they are not compared.
  missing_pages: >-
    Pages that had the issue in the previous crawl and were not read again (mart.page_comparison). It is unknown whether
    they still have it. NULL if they are not compared.
  remaining_pages: Pages that had the issue and still have it; NULL if they are not compared.
  unseen_pages: >-
    Pages that have the issue and that the previous crawl did not read. It is unknown whether the issue is new. NULL if
    they are not compared.
incremental:
  by: crawl_id
  within:
    mart.crawls: [crawl_id]
    mart.crawl_pairs: [crawl_id]
    mart.page_issue_changes: [crawl_id]
    mart.page_hits: [crawl_id]
    mart.page_demand: [crawl_id]
  # Whatever changes the issues of a crawl, or of the one that it is compared with.
  partitions: |
    SELECT pairs.*, sources.source, sources.loaded_at
    FROM mart.crawl_pairs AS pairs
    JOIN mart.issue_sources AS sources ON sources.crawl_id = pairs.crawl_id
    UNION ALL
    SELECT pairs.*, 'previous ' || sources.source, sources.loaded_at
    FROM mart.crawl_pairs AS pairs
    JOIN mart.issue_sources AS sources ON sources.crawl_id = pairs.previous_crawl_id
*/
WITH
  crawl AS (
    SELECT crawl_id, project_id, previous_crawl_id, is_latest
    FROM mart.crawls
    WHERE has_pages
  ),

  evidence AS (
    SELECT
      issues.issue,
      CASE WHEN strpos(each_one.field, '.') > 0 THEN split_part(each_one.field, '.', 1) ELSE 'crawl_pages' END AS dataset,
      CASE WHEN strpos(each_one.field, '.') > 0 THEN split_part(each_one.field, '.', 2) ELSE each_one.field END AS column_name
    FROM mart.issues AS issues
    CROSS JOIN UNNEST(split(issues.evidence, ', ')) AS each_one(field)
  ),

  told AS (
    SELECT DISTINCT crawl_id, dataset, column_name
    FROM mart.crawl_columns

    UNION ALL
    SELECT DISTINCT crawl_id, 'page_hits', 'search_bot_hits'
    FROM mart.page_hits
    WHERE search_bot_hits IS NOT NULL

    UNION ALL
    SELECT DISTINCT crawl_id, 'page_demand', 'impressions'
    FROM mart.page_demand
  ),

  -- An export without the column does not show the issue.
  unknown AS (
    SELECT crawl.crawl_id, evidence.issue
    FROM (SELECT crawl_id FROM crawl UNION SELECT previous_crawl_id FROM crawl) AS crawl
    CROSS JOIN evidence
    LEFT JOIN told
      ON told.crawl_id = crawl.crawl_id
      AND told.dataset = evidence.dataset
      AND told.column_name = evidence.column_name
    GROUP BY crawl.crawl_id, evidence.issue
    HAVING count(told.column_name) < count(*)
  ),

  -- Without all links, all sitemaps or a previous crawl, the pages with an issue that needs them are unknown.
  scope AS (
    SELECT
      pairs.crawl_id,
      issues.issue,
      NOT coalesce(strpos(issues.needs, 'links') > 0 AND NOT pairs.has_all_links, false)
        AND NOT coalesce(strpos(issues.needs, 'sitemaps') > 0 AND NOT pairs.has_all_sitemaps, false)
        AND NOT (strpos(issues.needs, 'previous') > 0 AND pairs.previous_crawl_id IS NULL) AS is_whole,
      NOT coalesce(strpos(issues.needs, 'links') > 0 AND NOT pairs.has_all_previous_links, false)
        AND NOT coalesce(strpos(issues.needs, 'sitemaps') > 0 AND NOT pairs.has_all_previous_sitemaps, false) AS was_whole
    FROM mart.crawl_pairs AS pairs
    CROSS JOIN mart.issues AS issues
  ),

  -- Where a crawl measured a sample, a page outside of it is not fixed, and a page new in it is not broken.
  sampled AS (
    SELECT DISTINCT told.crawl_id, evidence.issue
    FROM told
    JOIN evidence ON evidence.dataset = told.dataset
    WHERE told.dataset = 'crawl_pages' AND told.column_name = 'cwv_measurement' AND strpos(evidence.column_name, 'cwv_') = 1
  ),

  pair AS (
    SELECT
      crawl.crawl_id,
      crawl.project_id,
      crawl.previous_crawl_id,
      issues.issue,
      issues.is_by_days,
      lacking.issue IS NULL AND scope.is_whole AS is_known,
      crawl.previous_crawl_id IS NOT NULL
        AND NOT issues.is_by_days
        AND lacking.issue IS NULL
        AND lacked.issue IS NULL
        AND sample.issue IS NULL
        AND former_sample.issue IS NULL
        AND scope.is_whole
        AND scope.was_whole AS is_compared
    FROM crawl
    JOIN mart.project_issues AS issues ON issues.project_id = crawl.project_id
    JOIN scope ON scope.crawl_id = crawl.crawl_id AND scope.issue = issues.issue
    LEFT JOIN unknown AS lacking ON lacking.crawl_id = crawl.crawl_id AND lacking.issue = issues.issue
    LEFT JOIN unknown AS lacked ON lacked.crawl_id = crawl.previous_crawl_id AND lacked.issue = issues.issue
    LEFT JOIN sampled AS sample ON sample.crawl_id = crawl.crawl_id AND sample.issue = issues.issue
    LEFT JOIN sampled AS former_sample
      ON former_sample.crawl_id = crawl.previous_crawl_id
      AND former_sample.issue = issues.issue
    WHERE crawl.is_latest OR NOT issues.is_by_days
  ),

  counted AS (
    SELECT
      crawl_id,
      issue,
      count(CASE WHEN change IS NULL OR change IN ('remaining', 'new', 'unseen') THEN 1 END) AS pages,
      count(CASE WHEN change IN ('remaining', 'fixed', 'missing') THEN 1 END) AS previous_pages,
      count(CASE WHEN change = 'new' THEN 1 END) AS new_pages,
      count(CASE WHEN change = 'fixed' THEN 1 END) AS fixed_pages,
      count(CASE WHEN change = 'missing' THEN 1 END) AS missing_pages,
      count(CASE WHEN change = 'remaining' THEN 1 END) AS remaining_pages,
      count(CASE WHEN change = 'unseen' THEN 1 END) AS unseen_pages
    FROM mart.page_issue_changes
    GROUP BY crawl_id, issue
  )

SELECT
  pair.crawl_id,
  pair.project_id,
  pair.issue,
  CASE
    WHEN pair.is_known THEN coalesce(counted.pages, 0)
    -- Hits alone may show what demand would show too. So a finding counts, but a missing finding does not mean none.
    WHEN pair.is_by_days THEN counted.pages
  END AS pages,
  pair.previous_crawl_id,
  CASE WHEN pair.is_compared THEN coalesce(counted.previous_pages, 0) END AS previous_pages,
  CASE WHEN pair.is_compared THEN coalesce(counted.new_pages, 0) END AS new_pages,
  CASE WHEN pair.is_compared THEN coalesce(counted.fixed_pages, 0) END AS fixed_pages,
  CASE WHEN pair.is_compared THEN coalesce(counted.missing_pages, 0) END AS missing_pages,
  CASE WHEN pair.is_compared THEN coalesce(counted.remaining_pages, 0) END AS remaining_pages,
  CASE WHEN pair.is_compared THEN coalesce(counted.unseen_pages, 0) END AS unseen_pages
FROM pair
LEFT JOIN counted ON counted.crawl_id = pair.crawl_id AND counted.issue = pair.issue
