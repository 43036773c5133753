/*
name: mart.page_issue_changes
kind: view
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
*/
WITH
  -- Without the other page nobody sees some issues, so they are fixed or new only where it was read.
  found AS (
    SELECT
      rows.crawl_id,
      rows.project_id,
      rows.url,
      rows.issue,
      rows.why,
      CASE WHEN strpos(issues.needs, 'related') > 0 THEN rows.related_url END AS partner_url,
      -- What is not listed any more counts only where all sitemaps were read.
      strpos(', ' || issues.evidence || ',', ', sitemaps_file_origin,') > 0 AS is_about_sitemaps
    FROM mart.page_issues AS rows
    JOIN mart.issues AS issues ON issues.issue = rows.issue
  ),

  -- A page that moved keeps its issues: they are looked for where it is now.
  former AS (
    SELECT
      pairs.crawl_id,
      pairs.previous_crawl_id,
      pairs.project_id,
      pairs.has_all_sitemaps,
      found.url,
      found.issue,
      found.why,
      found.is_about_sitemaps,
      comparison.comparison,
      comparison.reason,
      comparison.moved_to,
      CASE WHEN comparison.comparison = 'moved' THEN comparison.moved_to ELSE found.url END AS present_url,
      coalesce(comparison.is_observed, true) AS is_observed,
      coalesce(partner.is_observed, true) AS is_partner_observed
    FROM mart.crawl_pairs AS pairs
    JOIN found ON found.crawl_id = pairs.previous_crawl_id
    LEFT JOIN mart.page_comparison AS comparison
      ON comparison.crawl_id = pairs.crawl_id AND comparison.url = found.url
    LEFT JOIN mart.page_comparison AS partner
      ON partner.crawl_id = pairs.crawl_id AND partner.url = found.partner_url
  ),

  present AS (
    SELECT
      found.crawl_id,
      pairs.previous_crawl_id,
      found.project_id,
      found.url,
      found.issue,
      found.why,
      former.moved_to,
      CASE
        WHEN pairs.previous_crawl_id IS NULL OR former.url IS NOT NULL THEN CAST(NULL AS VARCHAR)
        WHEN NOT comparison.is_observed_before THEN comparison.reason
        WHEN NOT partner.is_observed_before THEN 'related_not_read'
        WHEN found.is_about_sitemaps AND NOT pairs.has_all_previous_sitemaps THEN 'sitemaps_not_read'
      END AS reason,
      former.url IS NOT NULL AS is_remaining
    FROM found
    JOIN mart.crawl_pairs AS pairs ON pairs.crawl_id = found.crawl_id
    LEFT JOIN former
      ON former.crawl_id = found.crawl_id AND former.issue = found.issue AND former.present_url = found.url
    LEFT JOIN mart.page_comparison AS comparison
      ON comparison.crawl_id = found.crawl_id AND comparison.url = found.url
    LEFT JOIN mart.page_comparison AS partner
      ON partner.crawl_id = found.crawl_id AND partner.url = found.partner_url
  ),

  past AS (
    SELECT
      former.crawl_id,
      former.previous_crawl_id,
      former.project_id,
      former.url,
      former.issue,
      former.why,
      former.moved_to,
      CASE
        WHEN NOT former.is_observed THEN coalesce(former.reason, 'target_not_read')
        WHEN NOT former.is_partner_observed THEN 'related_not_read'
        WHEN former.is_about_sitemaps AND NOT former.has_all_sitemaps THEN 'sitemaps_not_read'
      END AS reason
    FROM former
    LEFT JOIN mart.page_issues AS found
      ON found.crawl_id = former.crawl_id AND found.issue = former.issue AND found.url = former.present_url
    WHERE found.url IS NULL
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
    WHEN is_remaining THEN 'remaining'
    WHEN reason IS NOT NULL THEN 'unseen'
    ELSE 'new'
  END AS change,
  reason,
  moved_to,
  why
FROM present

UNION ALL
SELECT
  crawl_id,
  previous_crawl_id,
  project_id,
  url,
  crawl_id || ' ' || url AS page_key,
  project_id || ' ' || url AS url_key,
  issue,
  CASE WHEN reason IS NOT NULL THEN 'missing' ELSE 'fixed' END AS change,
  reason,
  moved_to,
  why
FROM past
