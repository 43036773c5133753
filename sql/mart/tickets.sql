/*
name: mart.tickets
kind: view
description: >-
  The tickets of tickets.yaml (docs/definitions.md, tickets), with the state that the crawls show. A change of a ticket
  appears here after the next run.
grain: [ticket_id]
columns:
  ticket_id: Identifier of the ticket.
  project_id: Identifier of its project; the project as tickets.yaml names it where the crawl is not loaded.
  issue: Name of the issue (mart.issues.issue).
  segmentation: {description: Segmentation of the ticket's segment; NULL for all pages or a list of URLs., nullable: true}
  segment: {description: The segment whose pages the ticket covers; NULL for all pages or a list of URLs., nullable: true}
  has_urls: Whether the ticket lists its URLs.
  owner: {description: The person or team that fixes the pages., nullable: true}
  state:
    description: The state that a person has set.
    tests:
      - accepted_values: [open, in_progress, done, wont_fix, ignored]
  effective_state:
    description: >-
      For a done ticket, verified (a crawl that began after the ticket was done read every page, and no page has the
      issue), reopened (a page has the issue) or unknown. For an open ticket, overdue after its due date. An ignored
      ticket becomes open after its last day. Otherwise, the state.
    tests:
      - accepted_values: [open, in_progress, overdue, verified, reopened, unknown, wont_fix, ignored]
  reason:
    description: >-
      Why its pages are unknown: crawl_not_loaded (the crawl that found the pages is not loaded), segment_missing (this
      crawl has no such segment), no_pages (the segment contains no pages), no_crawl_since (its state is unknown,
      because no comparable crawl began after it was done), or the most common reason of its unread pages in the latest
      crawl (mart.ticket_pages.reason). NULL otherwise.
    nullable: true
  note: {description: The note of the ticket., nullable: true}
  due_date: {description: 'The last day to fix the pages, in UTC.', nullable: true}
  ignored_until_date: {description: 'The last day on which its pages are ignored, in UTC.', nullable: true}
  created_at: When the ticket was created, a point in time.
  changed_at: When the ticket was last changed, a point in time.
  crawl_id: Identifier of the crawl that found its pages.
  pages: {description: Number of its pages; NULL if that crawl is not loaded or has no such segment., nullable: true}
  latest_crawl_id: {description: 'Identifier of the latest comparable crawl of the same configuration, or of the crawl that found the pages where it is the latest.', nullable: true}
  pages_now: {description: Number of its pages that have the issue in the latest crawl; NULL if that crawl shows none of them., nullable: true}
  read_pages: {description: Number of its pages that the latest crawl shows with or without the issue., nullable: true}
  decided_by_crawl_id: {description: 'Identifier of the last crawl that verified or reopened a done ticket.', nullable: true}
reads:
  # The rows of tickets.yaml. crawlhouse puts them into this SQL.
  ops.tickets:
    ticket_id: VARCHAR
    project: VARCHAR
    issue: VARCHAR
    segmentation: VARCHAR
    segment: VARCHAR
    has_urls: BOOLEAN
    owner: VARCHAR
    state: VARCHAR
    note: VARCHAR
    due_date: DATE
    ignored_until_date: DATE
    created_at: TIMESTAMP WITH TIME ZONE
    changed_at: TIMESTAMP WITH TIME ZONE
    done_at: TIMESTAMP WITH TIME ZONE
    crawl_id: VARCHAR
*/
WITH
  ticket AS (
    SELECT
      tickets.*,
      crawls.project_id,
      crawls.ended_at AS found_at,
      coalesce(crawls.has_pages, false) AS is_loaded,
      tickets.segment IS NULL OR segments.crawl_id IS NOT NULL AS has_segment,
      CAST(now() AT TIME ZONE 'UTC' AS DATE) AS today
    FROM ops.tickets AS tickets
    LEFT JOIN mart.crawls AS crawls
      ON crawls.crawl_id = tickets.crawl_id AND tickets.project IN (crawls.project_id, crawls.project_name)
    LEFT JOIN mart.crawl_segments AS segments
      ON segments.crawl_id = crawls.crawl_id
      AND segments.segmentation = tickets.segmentation
      AND segments.segment = tickets.segment
  ),

  reasons AS (
    SELECT ticket_id, crawl_id, reason, count(*) AS pages
    FROM mart.ticket_pages
    WHERE reason IS NOT NULL
    GROUP BY ticket_id, crawl_id, reason
  ),

  counted AS (
    SELECT
      pages.ticket_id,
      pages.crawl_id,
      max(crawls.ended_at) AS ended_at,
      coalesce(bool_or(crawls.created_at >= ticket.done_at AND crawls.ended_at > ticket.found_at), false) AS is_after,
      count(*) AS pages,
      count(CASE WHEN pages.state = 'has_issue' THEN 1 END) AS with_issue,
      count(CASE WHEN pages.state IN ('has_issue', 'clean') THEN 1 END) AS read_pages
    FROM mart.ticket_pages AS pages
    JOIN ticket ON ticket.ticket_id = pages.ticket_id
    JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id
    GROUP BY pages.ticket_id, pages.crawl_id
  ),

  latest AS (
    SELECT *
    FROM (
      SELECT *, row_number() OVER (PARTITION BY ticket_id ORDER BY ended_at DESC, crawl_id DESC) AS place
      FROM counted
    ) AS ordered
    WHERE place = 1
  ),

  -- A crawl that did not read every page and found no issue decides nothing, so the former decision stays.
  decided AS (
    SELECT
      ticket_id,
      max_by(crawl_id, ended_at) FILTER (WHERE crawl_id IS NOT NULL) AS crawl_id,
      max_by(verdict, ended_at) FILTER (WHERE verdict IS NOT NULL) AS state
    FROM (
      SELECT *, CASE WHEN with_issue > 0 THEN 'reopened' ELSE 'verified' END AS verdict
      FROM counted
    ) AS judged
    WHERE is_after AND (with_issue > 0 OR read_pages = pages)
    GROUP BY ticket_id
  ),

  common AS (
    SELECT ticket_id, crawl_id, reason
    FROM (
      SELECT *, row_number() OVER (PARTITION BY ticket_id, crawl_id ORDER BY pages DESC, reason) AS place
      FROM reasons
    ) AS ordered
    WHERE place = 1
  ),

  stated AS (
    SELECT
      ticket.*,
      found.pages,
      latest.crawl_id AS latest_crawl_id,
      CASE WHEN latest.read_pages > 0 THEN latest.with_issue END AS pages_now,
      latest.read_pages,
      CASE WHEN ticket.state = 'done' THEN decided.crawl_id END AS decided_by_crawl_id,
      CASE
        WHEN ticket.state = 'done' THEN coalesce(decided.state, 'unknown')
        WHEN ticket.state = 'wont_fix' OR ticket.ignored_until_date >= ticket.today THEN ticket.state
        WHEN ticket.due_date < ticket.today THEN 'overdue'
        WHEN ticket.state = 'ignored' THEN 'open'
        ELSE ticket.state
      END AS effective_state,
      latest.is_after,
      common.reason AS page_reason
    FROM ticket
    LEFT JOIN counted AS found ON found.ticket_id = ticket.ticket_id AND found.crawl_id = ticket.crawl_id
    LEFT JOIN latest ON latest.ticket_id = ticket.ticket_id
    LEFT JOIN decided ON decided.ticket_id = ticket.ticket_id
    LEFT JOIN common ON common.ticket_id = latest.ticket_id AND common.crawl_id = latest.crawl_id
  )

SELECT
  ticket_id,
  coalesce(project_id, project) AS project_id,
  issue,
  segmentation,
  segment,
  has_urls,
  owner,
  state,
  effective_state,
  CASE
    WHEN NOT is_loaded THEN 'crawl_not_loaded'
    WHEN NOT has_segment THEN 'segment_missing'
    WHEN pages IS NULL THEN 'no_pages'
    WHEN effective_state = 'unknown' AND NOT coalesce(is_after, false) THEN 'no_crawl_since'
    ELSE page_reason
  END AS reason,
  note,
  due_date,
  ignored_until_date,
  created_at,
  changed_at,
  crawl_id,
  CASE WHEN is_loaded AND has_segment THEN coalesce(pages, 0) END AS pages,
  latest_crawl_id,
  pages_now,
  read_pages,
  decided_by_crawl_id
FROM stated
