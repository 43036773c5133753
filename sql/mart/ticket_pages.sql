/*
name: mart.ticket_pages
kind: table
description: >-
  The pages of each ticket of tickets.yaml (docs/definitions.md, tickets), one row for each ticket, crawl and page. The
  crawls are the crawl that found the pages, the latest comparable crawl of its configuration, and, for a done ticket,
  each comparable crawl that began after the ticket was done.
grain: [ticket_id, crawl_id, url]
columns:
  ticket_id: Identifier of the ticket.
  crawl_id: Identifier of the crawl.
  project_id: Identifier of the project.
  issue: Name of the issue (mart.issues.issue).
  url: URL of the page in the crawl that found it.
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  state:
    description: >-
      has_issue (the page has the issue in this crawl), clean (this crawl read the page and found no issue, or the page
      is gone) or unread (this crawl does not show whether the page has the issue). NULL for a page that a ticket lists
      and that did not have the issue when the ticket was created.
    nullable: true
    tests:
      - accepted_values: [has_issue, clean, unread]
  reason:
    description: >-
      Why the page is unread: a reason of mart.page_issue_changes or mart.page_comparison, issue_not_compared
      (mart.issue_changes) or moved_again (the page moved twice). NULL otherwise.
    nullable: true
  moved_to: {description: URL at which a page that moved is in this crawl (mart.page_comparison.moved_to)., nullable: true}
reads:
  # The rows of tickets.yaml. crawlhouse puts them into this SQL.
  ops.tickets:
    ticket_id: VARCHAR
    project: VARCHAR
    issue: VARCHAR
    segmentation: VARCHAR
    segment: VARCHAR
    crawl_id: VARCHAR
    has_urls: BOOLEAN
    done_at: TIMESTAMP WITH TIME ZONE
  ops.ticket_urls:
    ticket_id: VARCHAR
    url: VARCHAR
*/
WITH
  ticket AS (
    SELECT
      tickets.ticket_id,
      tickets.issue,
      tickets.segmentation,
      tickets.segment,
      tickets.has_urls,
      tickets.done_at,
      crawls.crawl_id,
      crawls.project_id,
      crawls.crawl_config_id,
      crawls.ended_at
    FROM ops.tickets AS tickets
    JOIN mart.crawls AS crawls ON crawls.crawl_id = tickets.crawl_id
    WHERE crawls.has_pages AND tickets.project IN (crawls.project_id, crawls.project_name)
  ),

  -- The pages stay the same in all crawls, whatever the segment contains later.
  found AS (
    SELECT
      ticket.ticket_id,
      issues.url,
      issues.related_url,
      CASE
        WHEN ticket.has_urls THEN false
        WHEN ticket.segment IS NULL THEN true
        WHEN ticket.segmentation = '(directory)' THEN coalesce(pages.url_first_path = ticket.segment, false)
        ELSE segments.url IS NOT NULL
      END AS is_of_ticket
    FROM ticket
    JOIN mart.page_issues AS issues ON issues.crawl_id = ticket.crawl_id AND issues.issue = ticket.issue
    LEFT JOIN mart.pages AS pages ON pages.crawl_id = ticket.crawl_id AND pages.url = issues.url
    LEFT JOIN mart.page_segments AS segments
      ON segments.crawl_id = ticket.crawl_id
      AND segments.url = issues.url
      AND segments.segmentation = ticket.segmentation
      AND segments.segment = ticket.segment
  ),

  page AS (
    SELECT ticket_id, url, related_url, true AS had_issue
    FROM found
    WHERE is_of_ticket

    UNION ALL
    SELECT listed.ticket_id, listed.url, found.related_url, found.url IS NOT NULL
    FROM ops.ticket_urls AS listed
    LEFT JOIN found ON found.ticket_id = listed.ticket_id AND found.url = listed.url
  ),

  compared AS (
    SELECT
      *,
      row_number() OVER (PARTITION BY project_id, crawl_config_id ORDER BY ended_at DESC, crawl_id DESC) AS place
    FROM mart.crawls
    WHERE previous_crawl_id IS NOT NULL
  ),

  judged AS (
    SELECT
      ticket.ticket_id,
      ticket.issue,
      ticket.project_id,
      ticket.crawl_config_id,
      ticket.ended_at AS found_at,
      later.crawl_id,
      later.ended_at
    FROM ticket
    JOIN compared AS later
      ON later.project_id = ticket.project_id
      AND later.crawl_config_id IS NOT DISTINCT FROM ticket.crawl_config_id
      AND later.ended_at > ticket.ended_at
    WHERE later.place = 1 OR later.created_at >= ticket.done_at
  ),

  move AS (
    SELECT comparison.url, comparison.moved_to, crawls.project_id, crawls.crawl_config_id, crawls.ended_at
    FROM mart.page_comparison AS comparison
    JOIN mart.crawls AS crawls ON crawls.crawl_id = comparison.crawl_id
    WHERE comparison.comparison = 'moved'
  ),

  -- Where each page is in each crawl.
  placed AS (
    SELECT
      judged.ticket_id,
      judged.issue,
      judged.project_id,
      judged.crawl_config_id,
      judged.crawl_id,
      judged.ended_at,
      page.url,
      page.related_url,
      max(move.ended_at) AS moved_at,
      max_by(move.moved_to, move.ended_at) FILTER (WHERE move.moved_to IS NOT NULL) AS moved_to
    FROM judged
    JOIN page ON page.ticket_id = judged.ticket_id
    LEFT JOIN move
      ON move.project_id = judged.project_id
      AND move.crawl_config_id IS NOT DISTINCT FROM judged.crawl_config_id
      AND move.url = page.url
      AND move.ended_at > judged.found_at
      AND move.ended_at <= judged.ended_at
    GROUP BY
      judged.ticket_id,
      judged.issue,
      judged.project_id,
      judged.crawl_config_id,
      judged.crawl_id,
      judged.ended_at,
      page.url,
      page.related_url
  ),

  -- The target of a page may move several times.
  again AS (
    SELECT DISTINCT placed.ticket_id, placed.crawl_id, placed.url
    FROM placed
    JOIN move
      ON move.project_id = placed.project_id
      AND move.crawl_config_id IS NOT DISTINCT FROM placed.crawl_config_id
      AND move.url = placed.moved_to
      AND move.ended_at > placed.moved_at
      AND move.ended_at <= placed.ended_at
  ),

  spot AS (
    SELECT ticket_id, crawl_id, issue, url, url AS spot_url
    FROM placed

    UNION ALL
    SELECT ticket_id, crawl_id, issue, url, moved_to
    FROM placed
    WHERE moved_to IS NOT NULL
  ),

  -- What the comparison with the previous crawl shows.
  changed AS (
    SELECT
      spot.ticket_id,
      spot.crawl_id,
      spot.url,
      bool_or(changes.change IN ('remaining', 'new', 'unseen')) AS has_issue,
      bool_or(changes.change = 'fixed') AS is_fixed,
      min(CASE WHEN changes.change = 'missing' THEN changes.reason END) AS reason
    FROM spot
    JOIN mart.page_issue_changes AS changes
      ON changes.crawl_id = spot.crawl_id AND changes.issue = spot.issue AND changes.url = spot.spot_url
    GROUP BY spot.ticket_id, spot.crawl_id, spot.url
  ),

  -- A page without a change had no issue in the previous crawl either. It is clean only if the crawl read it.
  side AS (
    SELECT
      pages.crawl_id,
      pages.url,
      coalesce(pages.observation, 'read') IN ('read', 'gone') AND NOT coalesce(pages.status_code IN (302, 303, 307), false)
        AS is_read,
      coalesce(pages.observation_reason, 'temporary_redirect') AS reason
    FROM mart.pages AS pages
    JOIN (SELECT DISTINCT crawl_id FROM judged) AS crawls ON crawls.crawl_id = pages.crawl_id
  ),

  unread AS (
    SELECT
      placed.ticket_id,
      placed.crawl_id,
      placed.project_id,
      placed.issue,
      placed.url,
      placed.moved_to,
      coalesce(changed.has_issue, false) AS has_issue,
      CASE
        WHEN changes.fixed_pages IS NULL THEN 'issue_not_compared'
        WHEN changed.reason IS NOT NULL THEN changed.reason
        WHEN changed.is_fixed THEN CAST(NULL AS VARCHAR)
        WHEN again.url IS NOT NULL THEN 'moved_again'
        WHEN comparison.url IS NOT NULL AND NOT coalesce(comparison.is_observed, false)
          THEN coalesce(comparison.reason, 'target_not_read')
        WHEN comparison.url IS NULL AND side.url IS NULL
          THEN CASE WHEN pairs.is_list THEN 'not_in_list' WHEN NOT pairs.has_all_links THEN 'outside_limits' ELSE 'not_linked' END
        WHEN comparison.url IS NULL AND NOT side.is_read THEN side.reason
        WHEN
          strpos(files.needs, 'related') > 0
          AND placed.related_url IS NOT NULL
          AND NOT coalesce(partner_comparison.is_observed, partner.is_read, false)
          THEN 'related_not_read'
        WHEN strpos(', ' || files.evidence || ',', ', sitemaps_file_origin,') > 0 AND NOT coalesce(pairs.has_all_sitemaps, false)
          THEN 'sitemaps_not_read'
      END AS reason
    FROM placed
    LEFT JOIN changed
      ON changed.ticket_id = placed.ticket_id AND changed.crawl_id = placed.crawl_id AND changed.url = placed.url
    LEFT JOIN again
      ON again.ticket_id = placed.ticket_id AND again.crawl_id = placed.crawl_id AND again.url = placed.url
    LEFT JOIN mart.crawl_pairs AS pairs ON pairs.crawl_id = placed.crawl_id
    LEFT JOIN mart.issues AS files ON files.issue = placed.issue
    LEFT JOIN mart.issue_changes AS changes ON changes.crawl_id = placed.crawl_id AND changes.issue = placed.issue
    LEFT JOIN mart.page_comparison AS comparison
      ON comparison.crawl_id = placed.crawl_id AND comparison.url = coalesce(placed.moved_to, placed.url)
    LEFT JOIN side ON side.crawl_id = placed.crawl_id AND side.url = coalesce(placed.moved_to, placed.url)
    LEFT JOIN mart.page_comparison AS partner_comparison
      ON partner_comparison.crawl_id = placed.crawl_id AND partner_comparison.url = placed.related_url
    LEFT JOIN side AS partner ON partner.crawl_id = placed.crawl_id AND partner.url = placed.related_url
  ),

  stated AS (
    SELECT
      ticket.ticket_id,
      ticket.crawl_id,
      ticket.project_id,
      ticket.issue,
      page.url,
      CASE WHEN page.had_issue THEN 'has_issue' END AS state,
      CAST(NULL AS VARCHAR) AS reason,
      CAST(NULL AS VARCHAR) AS moved_to
    FROM ticket
    JOIN page ON page.ticket_id = ticket.ticket_id

    UNION ALL
    SELECT
      ticket_id,
      crawl_id,
      project_id,
      issue,
      url,
      CASE WHEN has_issue THEN 'has_issue' WHEN reason IS NULL THEN 'clean' ELSE 'unread' END,
      CASE WHEN NOT has_issue THEN reason END,
      moved_to
    FROM unread
  )

SELECT
  ticket_id,
  crawl_id,
  project_id,
  issue,
  url,
  crawl_id || ' ' || url AS page_key,
  project_id || ' ' || url AS url_key,
  state,
  reason,
  moved_to
FROM stated
