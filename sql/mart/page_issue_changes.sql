/*
name: mart.page_issue_changes
kind: table
description: >-
  What became of each issue of each page since the previous crawl (mart.crawls.previous_crawl_id): one row for each
  crawl, issue and page that has it now or had it then. mart.issue_changes counts these rows where the two crawls can be
  compared.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  previous_crawl_id: Identifier of the previous crawl; NULL where there is none.
  project_id: Identifier of their project.
  url: URL of the page; of fixed and missing, its URL in the previous crawl.
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  issue: Name of the issue (mart.issues.issue).
  change: >-
    remaining (had it and still does), new (has it, and the previous crawl shows that it did not), unseen (has it, and the
    previous crawl did not read the page), fixed (had it, was requested again, and no longer has it) or missing (had it,
    and was not read again). NULL without a previous crawl.
  reason: >-
    Why a page is missing or unseen: mart.page_comparison.reason, target_not_read (it moved to a page that was not read),
    related_not_read (the other page of the relation was not read) or sitemaps_not_read.
  moved_to: URL at which a page that moved is now (mart.page_comparison.moved_to).
  why: What was found on the page (mart.page_issues.why); of fixed and missing, what the previous crawl found.
reads:
  ops.loads:
    unit: VARCHAR
    dataset: VARCHAR
    source_id: VARCHAR
    window_from: VARCHAR
    window_to: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: {mart.crawl_pairs: [crawl_id], mart.page_comparison: [crawl_id]}
  partitions: |
    WITH crawl AS (
      SELECT
        crawls.crawl_id, crawls.previous_crawl_id, crawls.project_id, crawls.is_latest, projects.project_name,
        projects.start_url, pairs.has_all_links, pairs.has_all_sitemaps, pairs.has_all_previous_links,
        pairs.has_all_previous_sitemaps
      FROM mart.crawls AS crawls
      JOIN mart.crawl_pairs AS pairs ON pairs.crawl_id = crawls.crawl_id
      LEFT JOIN mart.projects AS projects ON projects.project_id = crawls.project_id
      WHERE crawls.has_pages
    )
    SELECT crawl.*, loads.unit, loads.loaded_at
    FROM crawl
    JOIN ops.loads AS loads ON loads.source_id = crawl.crawl_id OR loads.source_id = crawl.previous_crawl_id
    WHERE loads.dataset IN ('crawl_pages', 'crawl_links', 'crawl_structured_data', 'crawl_requests')
    UNION ALL
    SELECT crawl.*, loads.unit, loads.loaded_at
    FROM crawl
    JOIN (
      SELECT DISTINCT crawl_id, kind, from_date, to_date FROM mart.crawl_days
    ) AS days ON days.crawl_id = crawl.crawl_id
    JOIN ops.loads AS loads
      ON loads.source_id = crawl.project_id
      AND CAST(loads.window_from AS DATE) <= days.to_date
      AND CAST(loads.window_to AS DATE) > days.from_date
    WHERE crawl.is_latest
      AND loads.dataset IN ('ranking_performance', 'log_events', 'log_pages_days')
      AND (loads.dataset = 'ranking_performance') = (days.kind = 'search')
    UNION ALL
    -- Which days belong to a crawl depends on the crawls around it, too.
    SELECT DISTINCT
      crawl.*, days.kind || ' days ' || CAST(days.from_date AS VARCHAR) || ' ' || CAST(days.to_date AS VARCHAR),
      CAST(NULL AS TIMESTAMP WITH TIME ZONE)
    FROM crawl
    JOIN mart.crawl_days AS days ON days.crawl_id = crawl.crawl_id
    WHERE crawl.is_latest
    UNION ALL
    -- What a page became follows from the crawls before, and from those that they are compared with.
    SELECT crawl.*, former.crawl_id || ' before', loads.loaded_at
    FROM crawl
    JOIN mart.crawls AS crawls ON crawls.crawl_id = crawl.crawl_id
    JOIN mart.crawls AS former
      ON former.project_id = crawl.project_id
      AND former.crawl_config_id IS NOT DISTINCT FROM crawls.crawl_config_id
      AND former.crawl_number < crawls.crawl_number
    JOIN ops.loads AS loads ON loads.source_id = former.crawl_id
    WHERE loads.dataset = 'crawl_pages'
    UNION ALL
    -- Hits are judged by the crawl whose state their day has.
    SELECT crawl.*, loads.unit || ' from ' || coalesce(CAST(states.from_date AS VARCHAR), ''), loads.loaded_at
    FROM crawl
    JOIN mart.crawls AS crawls ON crawls.crawl_id = crawl.crawl_id
    JOIN (SELECT DISTINCT crawl_id, from_date, to_date FROM mart.crawl_days WHERE kind = 'logs') AS days
      ON days.crawl_id = crawl.crawl_id
    JOIN mart.crawl_states AS states
      ON states.project_id = crawl.project_id
      AND states.crawl_config_id IS NOT DISTINCT FROM crawls.crawl_config_id
      AND coalesce(states.from_date <= days.to_date, true)
      AND coalesce(states.to_date >= days.from_date, true)
    JOIN ops.loads AS loads ON loads.source_id = states.crawl_id
    WHERE crawl.is_latest AND loads.dataset = 'crawl_pages'
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

  -- The issues of both crawls. A page that moved keeps its issues: they are looked for where it is now.
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
      -- Why the other crawl does not show whether the page has the issue, too.
      CASE
        WHEN side.is_present AND NOT comparison.is_observed_before THEN comparison.reason
        WHEN NOT side.is_present AND NOT comparison.is_observed THEN coalesce(comparison.reason, 'target_not_read')
        -- Without the other page of a relation nobody sees its issues.
        WHEN
          strpos(issues.needs, 'related') > 0
          AND CASE WHEN side.is_present THEN NOT partner.is_observed_before ELSE NOT partner.is_observed END
          THEN 'related_not_read'
        -- What is not listed any more counts only where all sitemaps were read.
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

  -- A window spills to disk; a join would hold a crawl's issues in memory.
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
