/*
name: mart.site_change_pages
kind: table
description: >-
  The pages of the changes of a website (mart.site_changes) before they are counted by segment. One row for each crawl,
  change and page, if at least as many pages of the site changed as the threshold of the change requires.
grain: [crawl_id, change, url]
columns:
  crawl_id: Identifier of the crawl that found the change.
  previous_crawl_id: Identifier of the crawl that this crawl is compared with (mart.crawls.previous_crawl_id).
  project_id: Identifier of their project.
  change: The change (mart.site_changes.change).
  url: URL of the page.
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  page_crawl_id: The crawl that describes the page; the previous one for a page that was only requested again.
  url_first_path: First directory of the URL.
  before: The value before the change.
  after: The current value.
  clicks: Clicks on the days that belong to the crawl (mart.page_demand.clicks), 0 where there are none.
  undone_at: End of the first later crawl that found the page in its previous state, a point in time; NULL if none did.
*/
WITH
  crawl AS (
    SELECT DISTINCT crawl_id, previous_crawl_id, project_id, crawl_config_id, crawl_number, ended_at
    FROM mart.site_change_rules
    WHERE change <> 'clicks'
  ),

  later AS (
    SELECT crawl.crawl_id, next.crawl_id AS later_id, next.ended_at
    FROM crawl
    JOIN crawl AS next
      ON next.project_id = crawl.project_id
      AND next.crawl_config_id IS NOT DISTINCT FROM crawl.crawl_config_id
      AND next.crawl_number > crawl.crawl_number
  ),

  turn AS (
    SELECT
      turns.crawl_id, turns.url, turns.is_new, turns.state_before, turns.state,
      CASE WHEN turns.state IN ('client_error', 'server_error') THEN 1 ELSE 0 END AS is_error,
      CASE WHEN turns.state_before IN ('client_error', 'server_error') THEN 1 ELSE 0 END AS was_error,
      CASE
        WHEN turns.state_before = 'indexable' THEN 'indexable'
        ELSE coalesce(CAST(turns.status_code_before AS VARCHAR), turns.state_before)
      END AS former,
      CASE
        WHEN turns.state = 'canonicalised' THEN coalesce(turns.canonical_url, turns.state)
        WHEN turns.state IN ('robots_denied', 'noindex', 'indexable') THEN turns.state
        ELSE coalesce(CAST(turns.status_code AS VARCHAR), turns.state)
      END AS present
    FROM mart.indexability_changes AS turns
    JOIN crawl ON crawl.crawl_id = turns.crawl_id
  ),

  -- The state of a page in a crawl, also of a page that it requested again without a link.
  seen AS (
    SELECT crawl_id, url, state, is_error
    FROM turn

    UNION ALL
    SELECT comparison.crawl_id, comparison.url, comparison.comparison, 0
    FROM mart.page_comparison AS comparison
    JOIN crawl ON crawl.crawl_id = comparison.crawl_id
    WHERE comparison.comparison IN ('gone', 'moved', 'merged')
  ),

  rewritten AS (
    SELECT
      changes.crawl_id, changes.url, CASE WHEN changes.change = 'title' THEN 'title' ELSE 'canonical' END AS change,
      changes."before" AS former, changes."after" AS present
    FROM mart.page_changes AS changes
    JOIN crawl ON crawl.crawl_id = changes.crawl_id
    WHERE changes.change IN ('title', 'rel_canonical')
  ),

  start_page AS (
    SELECT turn.crawl_id, turn.url
    FROM turn
    JOIN mart.pages AS pages ON pages.crawl_id = turn.crawl_id AND pages.url = turn.url
    LEFT JOIN mart.projects AS projects ON projects.project_id = pages.project_id
    WHERE turn.state_before = 'indexable'
      AND (pages.depth = 0 OR regexp_replace(pages.url, '/$', '') = regexp_replace(projects.start_url, '/$', ''))
  ),

  -- Each page that changed, and when a later crawl found its former state again.
  event AS (
    SELECT turn.crawl_id, turn.url, turn.state AS change, turn.former, turn.present, min(later.ended_at) AS undone_at
    FROM turn
    LEFT JOIN seen AS next
      ON next.url = turn.url
      AND next.state <> turn.state
      AND next.is_error * turn.is_error = 0
    LEFT JOIN later ON later.crawl_id = turn.crawl_id AND later.later_id = next.crawl_id
    WHERE turn.state IN ('robots_denied', 'noindex', 'canonicalised') AND turn.state_before = 'indexable'
      OR turn.is_error = 1 AND turn.was_error = 0 AND (turn.state_before IS NOT NULL OR turn.is_new)
    GROUP BY turn.crawl_id, turn.url, turn.state, turn.former, turn.present

    UNION ALL
    SELECT turn.crawl_id, turn.url, 'start_page', turn.former, turn.present, min(later.ended_at)
    FROM turn
    JOIN start_page ON start_page.crawl_id = turn.crawl_id AND start_page.url = turn.url
    LEFT JOIN turn AS next ON next.url = turn.url AND next.state = 'indexable'
    LEFT JOIN later ON later.crawl_id = turn.crawl_id AND later.later_id = next.crawl_id
    GROUP BY turn.crawl_id, turn.url, turn.former, turn.present

    UNION ALL
    SELECT own.crawl_id, own.url, own.change, own.former, own.present, min(later.ended_at)
    FROM rewritten AS own
    LEFT JOIN rewritten AS next
      ON next.url = own.url AND next.change = own.change AND next.present IS NOT DISTINCT FROM own.former
    LEFT JOIN later ON later.crawl_id = own.crawl_id AND later.later_id = next.crawl_id
    -- A change back ends the change. It is not another one.
    WHERE NOT EXISTS (
      SELECT 1
      FROM rewritten AS earlier
      JOIN later AS since ON since.crawl_id = earlier.crawl_id
      WHERE since.later_id = own.crawl_id
        AND earlier.url = own.url
        AND earlier.change = own.change
        AND earlier.former IS NOT DISTINCT FROM own.present
    )
    GROUP BY own.crawl_id, own.url, own.change, own.former, own.present
  )

-- Only changes that reach their threshold are joined with the pages; they are few.
SELECT
  event.crawl_id,
  crawl.previous_crawl_id,
  crawl.project_id,
  event.change,
  event.url,
  event.crawl_id || ' ' || event.url AS page_key,
  crawl.project_id || ' ' || event.url AS url_key,
  CASE WHEN pages.url IS NULL THEN crawl.previous_crawl_id ELSE event.crawl_id END AS page_crawl_id,
  coalesce(pages.url_first_path, former.url_first_path) AS url_first_path,
  event.former AS "before",
  event.present AS "after",
  coalesce(demand.clicks, 0) AS clicks,
  event.undone_at
FROM event
JOIN (SELECT crawl_id, change, count(*) AS pages FROM event GROUP BY crawl_id, change) AS whole
  ON whole.crawl_id = event.crawl_id AND whole.change = event.change
JOIN mart.site_change_rules AS crawl
  ON crawl.crawl_id = event.crawl_id AND crawl.change = event.change AND whole.pages >= crawl.least
LEFT JOIN mart.pages AS pages ON pages.crawl_id = event.crawl_id AND pages.url = event.url
-- A page that the crawl requested again is only among the pages of the previous crawl.
LEFT JOIN mart.pages AS former ON former.crawl_id = crawl.previous_crawl_id AND former.url = event.url
LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = event.crawl_id AND demand.url = event.url
