/*
name: mart.page_issue_changes
kind: table
description: >-
  The changes of page issues since the previous crawl (mart.crawls.previous_crawl_id). One row for each crawl, issue and
  page that has the issue in one of the two crawls. mart.issue_changes counts these rows if the two crawls can be
  compared.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  previous_crawl_id: Identifier of the previous crawl; NULL if there is none.
  project_id: Identifier of their project.
  url: URL of the page; for fixed and missing, its URL in the previous crawl.
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  issue: Name of the issue (mart.issues.issue).
  change: >-
    remaining (the page had the issue and still has it), new (has the issue, and the previous crawl shows that it did
    not have it), unseen (has the issue, and the previous crawl did not read the page), fixed (had the issue, was
    requested again, and no longer has it) or missing (had the issue, and was not read again). NULL without a previous
    crawl.
  reason: >-
    Why a page is missing or unseen: mart.page_comparison.reason, target_not_read (it moved to a page that was not
    read), related_not_read (the other page of the relation was not read) or sitemaps_not_read.
  moved_to: URL at which a page that moved is now (mart.page_comparison.moved_to).
  why: What was found on the page (mart.page_issues.why); for fixed and missing, what the previous crawl found.
incremental:
  by: crawl_id
  within: {mart.crawl_pairs: [crawl_id], mart.page_comparison: [crawl_id]}
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
  side AS (
    SELECT *, crawl_id AS read_id, true AS is_present
    FROM mart.crawl_pairs

    UNION ALL
    SELECT *, previous_crawl_id, false
    FROM mart.crawl_pairs
    WHERE previous_crawl_id IS NOT NULL
  ),

  -- The issues of both crawls. A page that moved keeps its issues: they are compared at its new URL.
  found AS (
    SELECT
      side.crawl_id,
      side.previous_crawl_id,
      side.project_id,
      side.is_present,
      rows.url,
      rows.issue,
      rows.why,
      comparison.moved_to,
      CASE
        WHEN NOT side.is_present AND comparison.comparison = 'moved' THEN comparison.moved_to
        ELSE rows.url
      END AS present_url,
      -- Also why the other crawl does not show whether the page has the issue.
      CASE
        WHEN side.is_present AND NOT comparison.is_observed_before THEN comparison.reason
        WHEN NOT side.is_present AND NOT comparison.is_observed THEN coalesce(comparison.reason, 'target_not_read')
        -- Without the other page of a relation, its issues are invisible.
        WHEN
          strpos(issues.needs, 'related') > 0
          AND CASE WHEN side.is_present THEN NOT partner.is_observed_before ELSE NOT partner.is_observed END
          THEN 'related_not_read'
        -- A URL that is no longer listed counts only where all sitemaps were read.
        WHEN
          strpos(', ' || issues.evidence || ',', ', sitemaps_file_origin,') > 0
          AND CASE WHEN side.is_present THEN NOT side.has_all_previous_sitemaps ELSE NOT side.has_all_sitemaps END
          THEN 'sitemaps_not_read'
      END AS reason
    FROM side
    JOIN mart.page_issues AS rows ON rows.crawl_id = side.read_id
    JOIN mart.issues AS issues ON issues.issue = rows.issue
    LEFT JOIN mart.page_comparison AS comparison
      ON comparison.crawl_id = side.crawl_id AND comparison.url = rows.url
    LEFT JOIN mart.page_comparison AS partner
      ON partner.crawl_id = side.crawl_id AND partner.url = rows.related_url
  ),

  -- A window spills to disk; a join would keep a crawl's issues in memory.
  matched AS (
    SELECT
      *,
      max(CASE WHEN is_present THEN 1 ELSE 0 END) OVER same_issue AS has_present,
      max(CASE WHEN is_present THEN 0 ELSE 1 END) OVER same_issue AS has_former,
      max(CASE WHEN NOT is_present THEN moved_to END) OVER same_issue AS former_moved_to
    FROM found
    WINDOW same_issue AS (PARTITION BY crawl_id, issue, present_url)
  )

SELECT
  crawl_id,
  previous_crawl_id,
  project_id,
  url,
  crawl_id || ' ' || url AS page_key,
  project_id || ' ' || url AS url_key,
  issue,
  CASE
    WHEN previous_crawl_id IS NULL THEN CAST(NULL AS VARCHAR)
    WHEN NOT is_present THEN CASE WHEN reason IS NULL THEN 'fixed' ELSE 'missing' END
    WHEN has_former = 1 THEN 'remaining'
    WHEN reason IS NULL THEN 'new'
    ELSE 'unseen'
  END AS change,
  CASE WHEN NOT is_present OR previous_crawl_id IS NOT NULL AND has_former = 0 THEN reason END AS reason,
  CASE WHEN is_present THEN former_moved_to ELSE moved_to END AS moved_to,
  why
FROM matched
WHERE is_present OR has_present = 0
