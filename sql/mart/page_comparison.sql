/*
name: mart.page_comparison
kind: table
description: >-
  Pages that a crawl cannot compare with the previous crawl (mart.crawls.previous_crawl_id). One row for each URL that
  only one of the two crawls has, that one of the crawls did not read, or that is gone or moved. Both crawls read a URL
  without a row as the same page. Every comparison follows these rows (docs/definitions.md, observation).
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the later crawl.
  previous_crawl_id: Identifier of the previous crawl.
  project_id: Identifier of their project.
  url: URL of a page of either crawl (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  comparison:
    description: >-
      added (a new URL, and the previous crawl read all links), gone (404 or 410 now), moved (the page is now at
      moved_to), merged (the page redirects to a page that already existed, or to which other pages moved as well),
      missing (the crawl did not read it), or unseen (the previous crawl did not read it).
    tests:
      - accepted_values: [added, gone, moved, merged, missing, unseen]
  is_observed_before: >-
    Whether the previous crawl shows the state of the page: the crawl read the page, found it gone, or read all links
    and found no link to it.
  is_observed: >-
    Whether the crawl shows what became of the page: the page was read, is gone, or moved to a page that was read. Only
    then can an issue count as fixed.
  observation: What the crawl saw of the page (mart.pages.observation); NULL if the crawl does not have the URL.
  reason: >-
    Why one side is unknown: a reason of mart.pages.observation_reason, temporary_redirect, redirect_without_end (its
    redirect leads nowhere, or in a loop), not_linked (no link of the crawl leads to it), outside_limits (a limit of
    depth or URLs, or an early end) or not_in_list. Where the crawl requested the URL again at its end (mart.rechecks):
    still_there (it responds, and no link leads to it), blocked_by_robots, robots_unavailable, refused or unreadable.
    NULL for added, gone, moved and merged pages.
  moved_to: URL at which a page that moved or merged is now.
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.crawl_pairs, mart.redirect_map]
  # A crawl that comes late, goes or comes again changes what the next one is compared with.
  partitions: |
    SELECT crawls.*, loads.source_id, loads.dataset, loads.loaded_at
    FROM mart.crawl_pairs AS crawls
    JOIN ops.loads AS loads
      ON loads.source_id = crawls.crawl_id OR loads.source_id = crawls.previous_crawl_id
    WHERE loads.dataset IN ('crawl_pages', 'crawl_requests') AND crawls.previous_crawl_id IS NOT NULL
*/
WITH
  pair AS (
    SELECT
      crawl_id,
      previous_crawl_id,
      project_id,
      CASE WHEN is_list THEN 'not_in_list' WHEN NOT has_all_links THEN 'outside_limits' ELSE 'not_linked' END
        AS unknown_reason,
      CASE WHEN is_previous_list THEN 'not_in_list' WHEN NOT has_all_previous_links THEN 'outside_limits' END AS unknown_reason_before
    FROM mart.crawl_pairs
    WHERE previous_crawl_id IS NOT NULL
  ),

  side AS (
    SELECT
      pages.crawl_id AS side_id,
      pages.url,
      pages.status_code,
      pages.observation,
      -- The target of a temporary redirect is another page.
      coalesce(pages.status_code IN (302, 303, 307), false) AS is_elsewhere,
      coalesce(pages.observation, 'read') IN ('read', 'gone') AS is_answered,
      pages.observation_reason
    FROM mart.pages AS pages
  ),

  later AS (
    SELECT
      pair.crawl_id, side.url, side.status_code, side.observation, side.is_answered AND NOT side.is_elsewhere AS is_observed,
      CASE WHEN side.is_elsewhere THEN 'temporary_redirect' ELSE side.observation_reason END AS reason
    FROM pair
    JOIN side ON side.side_id = pair.crawl_id
  ),

  earlier AS (
    SELECT
      pair.crawl_id, side.url, side.status_code, side.observation, side.is_answered AND NOT side.is_elsewhere AS is_observed,
      CASE WHEN side.is_elsewhere THEN 'temporary_redirect' ELSE side.observation_reason END AS reason
    FROM pair
    JOIN side ON side.side_id = pair.previous_crawl_id
  ),

  -- Each page once, in one join. Three joins would keep both crawls in memory three times.
  known_before AS (
    SELECT
      pair.crawl_id,
      rechecks.url,
      CASE rechecks.state
        WHEN 'unlinked' THEN 'still_there'
        WHEN 'blocked' THEN 'blocked_by_robots'
        WHEN 'unknown' THEN 'robots_unavailable'
        ELSE rechecks.state
      END AS reason
    FROM pair
    JOIN mart.rechecks AS rechecks ON rechecks.crawl_id = pair.previous_crawl_id
    WHERE rechecks.state NOT IN ('gone', 'moved')
  ),

  page AS (
    SELECT
      coalesce(later.crawl_id, earlier.crawl_id) AS crawl_id,
      coalesce(later.url, earlier.url) AS url,
      earlier.url IS NOT NULL AS was_known,
      later.url IS NOT NULL AS is_known,
      coalesce(earlier.is_observed, false) AS was_read,
      coalesce(later.is_observed, false) AS is_read,
      earlier.status_code AS status_before,
      later.status_code,
      later.observation,
      earlier.reason AS reason_before,
      later.reason,
      CASE WHEN later.url IS NULL THEN rechecks.state END AS recheck,
      CASE WHEN later.url IS NULL THEN rechecks.redirect_to_final_url END AS recheck_moved_to
    FROM later
    FULL JOIN earlier ON earlier.crawl_id = later.crawl_id AND earlier.url = later.url
    LEFT JOIN mart.rechecks AS rechecks
      ON rechecks.crawl_id = earlier.crawl_id AND rechecks.url = earlier.url
    WHERE earlier.url IS NULL
      OR later.url IS NULL
      OR NOT earlier.is_observed
      OR NOT later.is_observed
      OR later.observation = 'gone' AND coalesce(earlier.observation, 'read') <> 'gone'
      OR later.status_code IN (301, 308) AND NOT coalesce(earlier.status_code BETWEEN 300 AND 399, false)
  ),

  chain AS (
    SELECT crawl_id, url, max(final_url) AS moved_to
    FROM mart.redirect_map
    GROUP BY crawl_id, url
    HAVING count(CASE WHEN hop_status_code IN (301, 308) THEN 1 END) = count(*)
      AND NOT bool_or(is_loop)
      AND NOT bool_or(is_cut)
  ),

  -- Pages that only one of the crawls has, with the values that identify a moved page.
  lost AS (
    SELECT
      page.crawl_id, page.url, pages.canonical_url, pages.title, pages.h1, pages.meta_description, pages.word_count
    FROM page
    JOIN pair ON pair.crawl_id = page.crawl_id
    JOIN mart.pages AS pages ON pages.crawl_id = pair.previous_crawl_id AND pages.url = page.url
    WHERE page.was_read
      AND page.status_before = 200
      AND (NOT page.is_known AND coalesce(page.recheck, 'gone') = 'gone' OR page.observation = 'gone')
  ),

  came AS (
    SELECT
      page.crawl_id, page.url, pages.canonical_url, pages.title, pages.h1, pages.meta_description, pages.word_count
    FROM page
    JOIN mart.pages AS pages ON pages.crawl_id = page.crawl_id AND pages.url = page.url
    WHERE NOT page.was_known AND page.is_read AND page.status_code = 200
  ),

  -- The number of pages on each side with the same value. A value that is not unique identifies nothing.
  same_canonical AS (
    SELECT lost.crawl_id, min(lost.url) AS url, min(came.url) AS moved_to
    FROM lost
    JOIN came ON came.crawl_id = lost.crawl_id AND came.canonical_url = lost.canonical_url
    GROUP BY lost.crawl_id, lost.canonical_url
    HAVING count(*) = 1
  ),

  same_content AS (
    SELECT lost.crawl_id, min(lost.url) AS url, min(came.url) AS moved_to
    FROM lost
    JOIN came
      ON came.crawl_id = lost.crawl_id
      AND came.title = lost.title
      AND came.h1 = lost.h1
      AND came.meta_description = lost.meta_description
      AND came.word_count = lost.word_count
    GROUP BY lost.crawl_id, lost.title, lost.h1, lost.meta_description, lost.word_count
    HAVING count(*) = 1
  ),

  move AS (
    SELECT page.crawl_id, page.url, chain.moved_to, 1 AS place
    FROM page
    JOIN chain ON chain.crawl_id = page.crawl_id AND chain.url = page.url
    WHERE page.was_known
      AND page.status_code IN (301, 308)
      AND NOT coalesce(page.status_before BETWEEN 300 AND 399, false)

    UNION ALL
    SELECT crawl_id, url, recheck_moved_to, 1
    FROM page
    WHERE recheck = 'moved' AND recheck_moved_to IS NOT NULL

    UNION ALL
    SELECT crawl_id, url, moved_to, 2
    FROM same_canonical

    UNION ALL
    SELECT crawl_id, url, moved_to, 3
    FROM same_content
  ),

  -- A page moves to only one place, and only one page moves to a place.
  moved AS (
    SELECT
      chosen.crawl_id,
      chosen.url,
      chosen.moved_to,
      row_number() OVER (PARTITION BY chosen.crawl_id, chosen.moved_to ORDER BY chosen.place, chosen.url) = 1
        AND earlier.url IS NULL AS is_whole,
      coalesce(target.is_observed, false) AS is_target_read
    FROM (
      SELECT *, row_number() OVER (PARTITION BY crawl_id, url ORDER BY place, moved_to) AS choice
      FROM move
    ) AS chosen
    LEFT JOIN earlier ON earlier.crawl_id = chosen.crawl_id AND earlier.url = chosen.moved_to
    LEFT JOIN later AS target ON target.crawl_id = chosen.crawl_id AND target.url = chosen.moved_to
    WHERE chosen.choice = 1
  ),

  arrived AS (
    SELECT moved.crawl_id, moved.moved_to AS url
    FROM moved
    JOIN page ON page.crawl_id = moved.crawl_id AND page.url = moved.url
    WHERE moved.is_whole AND page.was_read
  ),

  judged AS (
    SELECT
      page.crawl_id,
      pair.previous_crawl_id,
      pair.project_id,
      page.url,
      CASE
        WHEN moved.is_whole THEN 'moved'
        WHEN moved.url IS NOT NULL THEN 'merged'
        WHEN NOT page.was_known AND pair.unknown_reason_before IS NULL AND known_before.url IS NULL THEN 'added'
        WHEN NOT page.was_known THEN 'unseen'
        WHEN page.recheck = 'gone' AND page.was_read THEN 'gone'
        WHEN NOT page.is_read OR page.observation <> 'gone' AND page.was_read THEN 'missing'
        WHEN NOT page.was_read THEN 'unseen'
        ELSE 'gone'
      END AS comparison,
      CASE
        WHEN page.was_known THEN page.was_read
        ELSE pair.unknown_reason_before IS NULL AND known_before.url IS NULL
      END AS is_observed_before,
      CASE
        WHEN moved.url IS NOT NULL THEN moved.is_target_read OR NOT moved.is_whole
        -- A redirect without a target, or in a loop, shows no page.
        WHEN page.was_read AND page.is_known THEN page.is_read AND page.observation = 'gone'
        ELSE page.is_read OR coalesce(page.recheck = 'gone', false)
      END AS is_observed,
      page.observation,
      page.is_known,
      page.recheck,
      coalesce(page.reason_before, known_before.reason) AS reason_before,
      page.reason,
      pair.unknown_reason,
      pair.unknown_reason_before,
      moved.moved_to
    FROM page
    JOIN pair ON pair.crawl_id = page.crawl_id
    LEFT JOIN moved ON moved.crawl_id = page.crawl_id AND moved.url = page.url
    LEFT JOIN arrived ON arrived.crawl_id = page.crawl_id AND arrived.url = page.url
    LEFT JOIN known_before ON known_before.crawl_id = page.crawl_id AND known_before.url = page.url
    WHERE arrived.url IS NULL
  )

SELECT
  crawl_id,
  previous_crawl_id,
  project_id,
  url,
  crawl_id || ' ' || url AS page_key,
  project_id || ' ' || url AS url_key,
  comparison,
  is_observed_before,
  is_observed,
  observation,
  CASE
    WHEN comparison = 'missing' AND is_known THEN coalesce(reason, 'redirect_without_end')
    WHEN comparison = 'missing'
      THEN CASE recheck
        WHEN 'unlinked' THEN 'still_there'
        WHEN 'blocked' THEN 'blocked_by_robots'
        WHEN 'unknown' THEN 'robots_unavailable'
        WHEN 'moved' THEN 'redirect_without_end'
        WHEN 'gone' THEN 'not_found'
        ELSE coalesce(recheck, unknown_reason)
      END
    WHEN comparison = 'unseen' THEN coalesce(reason_before, unknown_reason_before)
  END AS reason,
  moved_to
FROM judged
