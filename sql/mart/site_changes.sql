/*
name: mart.site_changes
kind: table
description: >-
  Changes of a website that are incidents (docs/operate.md, changes of a website), found in the crawls of the last 28 days
  before the newest one of each configuration: one row for each crawl that found one, change and segment. The setting
  changes has their thresholds. A page that a crawl did not request or could not read never counts as having become
  anything.
grain: [crawl_id, change, segmentation, segment]
columns:
  crawl_id: Identifier of the crawl that found it; of clicks, of the project's main crawl.
  previous_crawl_id: {description: Identifier of the crawl that it is compared with (mart.crawls.previous_crawl_id)., nullable: true}
  project_id: Identifier of their project.
  change:
    description: >-
      robots_denied, noindex or canonicalised (pages that were indexable became non-indexable), client_error or
      server_error (pages answer with an error and did not before), title or canonical (those of a template changed),
      start_page (it is no longer indexable), robots_txt (its text changed), sitemap (one can no longer be read, or no page is
      in a sitemap any more) or clicks (those of a week fell).
    tests:
      - accepted_values:
          - robots_denied
          - noindex
          - canonicalised
          - client_error
          - server_error
          - title
          - canonical
          - start_page
          - robots_txt
          - sitemap
          - clicks
  segmentation: >-
    (site), or, where the change does not reach its thresholds in the whole site, (directory) or the name of a segmentation
    of the project's own. (file) for a robots.txt or a sitemap.
  segment: The segment; (site) for all pages; the URL of a file.
  pages: Number of pages that changed, or that were in the sitemap; NULL for robots_txt and clicks.
  of_pages: >-
    Number of pages that they are a part of. Those that were indexable, all pages, or, for title and canonical, those with
    status 200 in both crawls. NULL for files and clicks.
  pages_percent: Percentage of these that pages is, with one decimal.
  pages_left: Of pages, the ones that no later crawl has seen as they were before.
  clicks: >-
    Clicks at risk, those on the pages on the days that belong to the crawl (mart.page_demand.clicks); for clicks, by how many
    they fell. NULL where no search results of these days are known.
  most_in: First directory with the most of the pages, or of the lost clicks.
  before: >-
    What it was before, on the example; for robots_txt, its text; for clicks, the clicks of the earlier week.
  after: The same as it is now.
  example: >-
    URL of the page with the most clicks, of equal ones the first; NULL for files and clicks.
  began_at: When the crawl that found it ended, a point in time; for clicks, the start of the week.
  ended_at: >-
    End of the crawl that showed that fewer pages than the thresholds ask for are left, a point in time; NULL while it is open.
*/
WITH
  chosen AS (
    SELECT projects.project_id, coalesce(min(own.number), 0) AS number
    FROM (
      SELECT crawls.project_id, max(crawls.project_name) AS project_name
      FROM mart.crawls AS crawls
      WHERE crawls.project_id IS NOT NULL
      GROUP BY crawls.project_id
    ) AS projects
    LEFT JOIN settings.change_projects AS own
      ON own.project = projects.project_id OR own.project = projects.project_name
    GROUP BY projects.project_id
  ),

  rule AS (
    SELECT chosen.project_id, rules.change, rules.least, rules.least_percent, rules.days
    FROM chosen
    JOIN settings.changes AS rules ON rules.number = chosen.number
    WHERE rules.is_on
  ),

  compared AS (
    SELECT
      crawls.*,
      max(crawls.ended_at) OVER (PARTITION BY crawls.project_id, crawls.crawl_config_id) AS newest_at
    FROM mart.crawls AS crawls
    WHERE crawls.previous_crawl_id IS NOT NULL
  ),

  -- An older change that nobody has undone counts as intended.
  crawl AS (
    SELECT
      compared.crawl_id, compared.previous_crawl_id, compared.project_id, compared.crawl_config_id, compared.crawl_number,
      compared.ended_at
    FROM compared
    JOIN (SELECT project_id, max(days) AS days FROM rule GROUP BY project_id) AS kept
      ON kept.project_id = compared.project_id
    WHERE date_diff('millisecond', compared.ended_at, compared.newest_at) <= 86400000 * CAST(kept.days AS BIGINT)
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

  -- What a crawl shows of a page, also of one that it requested again without a link.
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

  -- Each page that changed, and when a later crawl saw it as it was before.
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
    -- A change back is the end of one, not another.
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
  ),

  shown AS (
    SELECT DISTINCT crawl_id
    FROM mart.page_demand
    WHERE crawl_id IS NOT NULL
  ),

  -- Few changes of a crawl are worth looking at where its pages are.
  page AS (
    SELECT
      event.*,
      coalesce(pages.url_first_path, former.url_first_path) AS url_first_path,
      CASE WHEN pages.url IS NULL THEN crawl.previous_crawl_id ELSE event.crawl_id END AS page_crawl_id,
      coalesce(demand.clicks, 0) AS clicks
    FROM event
    JOIN (SELECT crawl_id, change, count(*) AS pages FROM event GROUP BY crawl_id, change) AS whole
      ON whole.crawl_id = event.crawl_id AND whole.change = event.change
    JOIN crawl ON crawl.crawl_id = event.crawl_id
    JOIN rule ON rule.project_id = crawl.project_id AND rule.change = event.change AND whole.pages >= rule.least
    LEFT JOIN mart.pages AS pages ON pages.crawl_id = event.crawl_id AND pages.url = event.url
    -- A page that the crawl requested again is one of the previous crawl only.
    LEFT JOIN mart.pages AS former ON former.crawl_id = crawl.previous_crawl_id AND former.url = event.url
    LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = event.crawl_id AND demand.url = event.url
  ),

  placed AS (
    SELECT '(site)' AS segmentation, '(site)' AS segment, page.*
    FROM page

    UNION ALL
    SELECT '(directory)', page.url_first_path, page.*
    FROM page
    WHERE page.url_first_path IS NOT NULL AND page.change <> 'start_page'

    UNION ALL
    SELECT groups.segmentation, groups.segment, page.*
    FROM page
    JOIN mart.page_groups AS groups ON groups.crawl_id = page.page_crawl_id AND groups.url = page.url
    WHERE groups.segment IS NOT NULL AND page.change <> 'start_page'
  ),

  -- Pages with a title or canonical in both crawls, only where these changed.
  both_crawls AS (
    SELECT crawl.crawl_id, pages.url, pages.url_first_path
    FROM crawl
    JOIN (SELECT DISTINCT crawl_id FROM page WHERE change IN ('title', 'canonical')) AS own ON own.crawl_id = crawl.crawl_id
    JOIN mart.pages AS pages ON pages.crawl_id = crawl.crawl_id
    JOIN mart.pages AS former ON former.crawl_id = crawl.previous_crawl_id AND former.url = pages.url
    WHERE pages.status_code = 200 AND former.status_code = 200
  ),

  template AS (
    SELECT crawl_id, '(site)' AS segmentation, '(site)' AS segment, count(*) AS pages
    FROM both_crawls
    GROUP BY crawl_id

    UNION ALL
    SELECT crawl_id, '(directory)', url_first_path, count(*)
    FROM both_crawls
    WHERE url_first_path IS NOT NULL
    GROUP BY crawl_id, url_first_path

    UNION ALL
    SELECT groups.crawl_id, groups.segmentation, groups.segment, count(*)
    FROM both_crawls
    JOIN mart.page_groups AS groups ON groups.crawl_id = both_crawls.crawl_id AND groups.url = both_crawls.url
    WHERE groups.segment IS NOT NULL
    GROUP BY groups.crawl_id, groups.segmentation, groups.segment
  ),

  counted AS (
    SELECT
      crawl_id,
      change,
      segmentation,
      segment,
      count(*) AS pages,
      count(undone_at) AS undone_pages,
      sum(clicks) AS clicks,
      min(url) AS first_url,
      max(url) AS last_url,
      min_by(url, ROW(-clicks, url)) FILTER (WHERE url IS NOT NULL) AS example
    FROM placed
    GROUP BY crawl_id, change, segmentation, segment
  ),

  directory AS (
    SELECT crawl_id, change, segment AS most_in
    FROM (
      SELECT *, row_number() OVER (PARTITION BY crawl_id, change ORDER BY pages DESC, segment) AS place
      FROM counted
      WHERE segmentation = '(directory)'
    ) AS ranked
    WHERE place = 1
  ),

  measured AS (
    SELECT
      counted.*,
      crawl.previous_crawl_id,
      crawl.project_id,
      crawl.ended_at AS began_at,
      rule.least,
      rule.least_percent,
      CASE
        WHEN counted.change = 'start_page' THEN 1
        WHEN counted.change IN ('title', 'canonical') THEN template.pages
        WHEN counted.change IN ('client_error', 'server_error') THEN present.pages
        ELSE former.indexable_pages
      END AS of_pages
    FROM counted
    JOIN crawl ON crawl.crawl_id = counted.crawl_id
    JOIN rule ON rule.project_id = crawl.project_id AND rule.change = counted.change
    LEFT JOIN mart.crawl_segments AS present
      ON present.crawl_id = crawl.crawl_id
      AND present.segmentation = counted.segmentation
      AND present.segment = counted.segment
    LEFT JOIN mart.crawl_segments AS former
      ON former.crawl_id = crawl.previous_crawl_id
      AND former.segmentation = counted.segmentation
      AND former.segment = counted.segment
    LEFT JOIN template
      ON template.crawl_id = counted.crawl_id
      AND template.segmentation = counted.segmentation
      AND template.segment = counted.segment
  ),

  -- More than half for a template, at least so many for the others.
  reached AS (
    SELECT *
    FROM measured
    WHERE pages >= least
      AND coalesce(
        CASE
          WHEN change IN ('title', 'canonical') THEN 100 * pages > least_percent * of_pages
          ELSE 100 * pages >= least_percent * of_pages
        END,
        true
      )
  ),

  -- The site's says it for its segments; of segments with the same pages, the one of the project's own does.
  opened AS (
    SELECT *
    FROM (
      SELECT
        reached.*,
        max(CASE WHEN segmentation = '(site)' THEN 1 ELSE 0 END) OVER (PARTITION BY crawl_id, change) AS has_site,
        row_number() OVER (
          PARTITION BY crawl_id, change, pages, first_url, last_url
          ORDER BY CASE WHEN segmentation = '(directory)' THEN 1 ELSE 0 END, segmentation, segment
        ) AS place
      FROM reached
    ) AS ranked
    WHERE segmentation = '(site)' OR has_site = 0 AND place = 1
  ),

  -- The first later crawl that leaves fewer pages than the thresholds ask for.
  over AS (
    SELECT crawl_id, change, segmentation, segment, min(undone_at) AS ended_at
    FROM (
      SELECT
        opened.*,
        undone.undone_at,
        opened.pages - sum(undone.pages) OVER (
          PARTITION BY opened.crawl_id, opened.change, opened.segmentation, opened.segment ORDER BY undone.undone_at
        ) AS left_pages
      FROM opened
      JOIN (
        SELECT crawl_id, change, segmentation, segment, undone_at, count(*) AS pages
        FROM placed
        WHERE undone_at IS NOT NULL
        GROUP BY crawl_id, change, segmentation, segment, undone_at
      ) AS undone
        ON undone.crawl_id = opened.crawl_id
        AND undone.change = opened.change
        AND undone.segmentation = opened.segmentation
        AND undone.segment = opened.segment
    ) AS passing
    WHERE left_pages < least
      OR CASE
        WHEN change IN ('title', 'canonical') THEN 100 * left_pages <= least_percent * of_pages
        ELSE 100 * left_pages < least_percent * of_pages
      END
    GROUP BY crawl_id, change, segmentation, segment
  ),

  -- That there is no robots.txt is known, too.
  robots AS (
    SELECT
      files.crawl_id, files.url,
      CASE WHEN files.status_code IN (404, 410) THEN coalesce(files.content, '') ELSE files.content END AS content
    FROM mart.crawl_files AS files
    WHERE files.kind = 'robots_txt'
  ),

  robots_change AS (
    SELECT crawl.crawl_id, later.url, former.content AS former, later.content AS present
    FROM crawl
    JOIN robots AS later ON later.crawl_id = crawl.crawl_id
    JOIN robots AS former ON former.crawl_id = crawl.previous_crawl_id AND former.url = later.url
    WHERE later.content <> former.content
  ),

  -- A refusal, no answer and the end of the time for sitemaps say nothing of a sitemap.
  lost_sitemap AS (
    SELECT
      crawl.crawl_id, later.url, former.num_urls AS pages,
      coalesce(later.error, 'HTTP status ' || CAST(later.status_code AS VARCHAR)) AS present
    FROM crawl
    JOIN mart.crawl_files AS later ON later.crawl_id = crawl.crawl_id AND later.kind = 'sitemap'
    JOIN mart.crawl_files AS former
      ON former.crawl_id = crawl.previous_crawl_id
      AND former.kind = 'sitemap'
      AND former.url = later.url
    WHERE former.is_read
      AND NOT later.is_read
      AND later.status_code IS NOT NULL
      AND later.status_code NOT IN (401, 403, 429, 503)
      AND coalesce(later.error, '') <> 'over_budget'
  ),

  lost_sitemaps AS (
    SELECT crawl.crawl_id, former.sitemap_pages AS pages
    FROM crawl
    JOIN mart.crawl_coverage AS later ON later.crawl_id = crawl.crawl_id
    JOIN mart.crawl_coverage AS former ON former.crawl_id = crawl.previous_crawl_id
    JOIN mart.crawl_columns AS told
      ON told.crawl_id = crawl.crawl_id
      AND told.dataset = 'crawl_pages'
      AND told.column_name = 'sitemaps_file_origin'
    WHERE former.sitemap_pages > 0 AND later.sitemap_pages = 0 AND coalesce(later.unread_sitemaps, 0) = 0
  ),

  -- Files and sitemaps, with the first later crawl that shows them as they were before.
  file AS (
    SELECT
      own.crawl_id, 'robots_txt' AS change, '(file)' AS segmentation, own.url AS segment, CAST(NULL AS BIGINT) AS pages,
      own.former, own.present, min(later.ended_at) AS ended_at
    FROM robots_change AS own
    LEFT JOIN robots AS next ON next.url = own.url AND next.content = own.former
    LEFT JOIN later ON later.crawl_id = own.crawl_id AND later.later_id = next.crawl_id
    WHERE NOT EXISTS (
      SELECT 1
      FROM robots_change AS earlier
      JOIN later AS since ON since.crawl_id = earlier.crawl_id
      WHERE since.later_id = own.crawl_id AND earlier.url = own.url AND earlier.former = own.present
    )
    GROUP BY own.crawl_id, own.url, own.former, own.present

    UNION ALL
    SELECT
      own.crawl_id, 'sitemap', '(file)', own.url, own.pages, CAST(own.pages AS VARCHAR) || ' URLs', own.present,
      min(later.ended_at)
    FROM lost_sitemap AS own
    LEFT JOIN mart.crawl_files AS next ON next.url = own.url AND next.kind = 'sitemap' AND next.is_read
    LEFT JOIN later ON later.crawl_id = own.crawl_id AND later.later_id = next.crawl_id
    GROUP BY own.crawl_id, own.url, own.pages, own.present

    UNION ALL
    SELECT
      own.crawl_id, 'sitemap', '(site)', '(site)', own.pages, CAST(own.pages AS VARCHAR) || ' pages', '0 pages',
      min(later.ended_at)
    FROM lost_sitemaps AS own
    LEFT JOIN mart.crawl_coverage AS next ON next.sitemap_pages > 0
    LEFT JOIN later ON later.crawl_id = own.crawl_id AND later.later_id = next.crawl_id
    GROUP BY own.crawl_id, own.pages
  ),

  -- The last weeks of search results, 0 the last one, of projects that have no gap in two weeks.
  week AS (
    SELECT project_id, ranking_date, CAST(floor(CAST(place AS DOUBLE) / 7) AS BIGINT) AS week
    FROM (
      SELECT
        project_id,
        ranking_date,
        row_number() OVER (PARTITION BY project_id ORDER BY ranking_date DESC) - 1 AS place,
        count(*) OVER (PARTITION BY project_id) AS days
      FROM mart.ranking_days
    ) AS days
    WHERE place < 70 AND place < 7 * floor(CAST(days AS DOUBLE) / 7)
  ),

  main AS (
    SELECT crawl_id, previous_crawl_id, project_id
    FROM mart.crawls
    WHERE is_main
  ),

  shown_page AS (
    SELECT
      performance.project_id, performance.url, week.week, CAST(sum(performance.clicks) AS BIGINT) AS clicks
    FROM mart.ranking_performance AS performance
    JOIN week ON week.project_id = performance.project_id AND week.ranking_date = performance.date
    GROUP BY performance.project_id, performance.url, week.week
  ),

  shown_place AS (
    SELECT shown_page.project_id, '(site)' AS segmentation, '(site)' AS segment, shown_page.week, shown_page.clicks
    FROM shown_page

    UNION ALL
    SELECT shown_page.project_id, '(directory)', pages.url_first_path, shown_page.week, shown_page.clicks
    FROM main
    JOIN mart.pages AS pages ON pages.crawl_id = main.crawl_id
    JOIN shown_page ON shown_page.project_id = main.project_id AND shown_page.url = pages.url
    WHERE pages.url_first_path IS NOT NULL

    UNION ALL
    SELECT shown_page.project_id, groups.segmentation, groups.segment, shown_page.week, shown_page.clicks
    FROM main
    JOIN mart.page_groups AS groups ON groups.crawl_id = main.crawl_id
    JOIN shown_page ON shown_page.project_id = main.project_id AND shown_page.url = groups.url
    WHERE groups.segment IS NOT NULL
  ),

  -- A week without a row of a segment has none of its clicks.
  weekly AS (
    SELECT segments.project_id, segments.segmentation, segments.segment, weeks.week, coalesce(sum(own.clicks), 0) AS clicks
    FROM (SELECT DISTINCT project_id, segmentation, segment FROM shown_place) AS segments
    JOIN (SELECT DISTINCT project_id, week FROM week) AS weeks ON weeks.project_id = segments.project_id
    LEFT JOIN shown_place AS own
      ON own.project_id = segments.project_id
      AND own.segmentation = segments.segmentation
      AND own.segment = segments.segment
      AND own.week = weeks.week
    GROUP BY segments.project_id, segments.segmentation, segments.segment, weeks.week
  ),

  moved AS (
    SELECT
      now.project_id, now.segmentation, now.segment, now.week, now.clicks, former.clicks AS former_clicks,
      100 * CAST(now.clicks - former.clicks AS DOUBLE) / nullif(former.clicks, 0) AS percent
    FROM weekly AS now
    JOIN weekly AS former
      ON former.project_id = now.project_id
      AND former.segmentation = now.segmentation
      AND former.segment = now.segment
      AND former.week = now.week + 1
  ),

  -- The median of how far the weeks before moved; three of them at the least.
  usual AS (
    SELECT
      project_id, segmentation, segment,
      CAST(sum(CAST(distance AS DECIMAL(38, 9))) AS DOUBLE) / count(*) AS distance
    FROM (
      SELECT
        project_id,
        segmentation,
        segment,
        abs(percent) AS distance,
        row_number() OVER (PARTITION BY project_id, segmentation, segment ORDER BY abs(percent), week) AS place,
        count(*) OVER (PARTITION BY project_id, segmentation, segment) AS weeks
      FROM moved
      WHERE week > 0 AND percent IS NOT NULL
    ) AS ranked
    WHERE weeks >= 3 AND 2 * place BETWEEN weeks AND weeks + 2
    GROUP BY project_id, segmentation, segment
  ),

  fallen AS (
    SELECT
      moved.project_id,
      moved.segmentation,
      moved.segment,
      moved.clicks,
      moved.former_clicks,
      max(CASE WHEN moved.segmentation = '(site)' THEN 1 ELSE 0 END) OVER (PARTITION BY moved.project_id) AS has_site,
      row_number() OVER (
        PARTITION BY moved.project_id, moved.clicks, moved.former_clicks
        ORDER BY CASE WHEN moved.segmentation = '(directory)' THEN 1 ELSE 0 END, moved.segmentation, moved.segment
      ) AS place
    FROM moved
    JOIN rule ON rule.project_id = moved.project_id AND rule.change = 'clicks'
    LEFT JOIN usual
      ON usual.project_id = moved.project_id
      AND usual.segmentation = moved.segmentation
      AND usual.segment = moved.segment
    WHERE moved.week = 0
      AND moved.former_clicks >= rule.least
      AND -moved.percent >= rule.least_percent
      AND -moved.percent > 3 * coalesce(usual.distance, 0)
  ),

  most_lost AS (
    SELECT project_id, segment AS most_in
    FROM (
      SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY clicks - former_clicks, segment) AS place
      FROM moved
      WHERE week = 0 AND segmentation = '(directory)' AND clicks < former_clicks
    ) AS ranked
    WHERE place = 1
  ),

  -- Two weeks of days that follow each other.
  last_week AS (
    SELECT project_id, min(CASE WHEN week = 0 THEN ranking_date END) AS from_date
    FROM week
    WHERE week < 2
    GROUP BY project_id
    HAVING date_diff('day', min(ranking_date), max(ranking_date)) = 13
  )

SELECT
  opened.crawl_id,
  opened.previous_crawl_id,
  opened.project_id,
  opened.change,
  opened.segmentation,
  opened.segment,
  opened.pages,
  CAST(opened.of_pages AS BIGINT) AS of_pages,
  CAST(
    round(CAST(CAST(100 * opened.pages AS DOUBLE) / nullif(opened.of_pages, 0) AS DECIMAL(38, 9)), 1) AS DOUBLE
  ) AS pages_percent,
  opened.pages - opened.undone_pages AS pages_left,
  CASE WHEN shown.crawl_id IS NOT NULL THEN CAST(opened.clicks AS BIGINT) END AS clicks,
  directory.most_in,
  event.former AS "before",
  event.present AS "after",
  opened.example,
  opened.began_at,
  over.ended_at
FROM opened
JOIN event ON event.crawl_id = opened.crawl_id AND event.change = opened.change AND event.url = opened.example
LEFT JOIN shown ON shown.crawl_id = opened.crawl_id
LEFT JOIN directory ON directory.crawl_id = opened.crawl_id AND directory.change = opened.change
LEFT JOIN over
  ON over.crawl_id = opened.crawl_id
  AND over.change = opened.change
  AND over.segmentation = opened.segmentation
  AND over.segment = opened.segment

UNION ALL
SELECT
  file.crawl_id,
  crawl.previous_crawl_id,
  crawl.project_id,
  file.change,
  file.segmentation,
  file.segment,
  file.pages,
  CAST(NULL AS BIGINT),
  CAST(NULL AS DOUBLE),
  CASE WHEN file.ended_at IS NULL THEN file.pages ELSE file.pages - file.pages END,
  CAST(NULL AS BIGINT),
  CAST(NULL AS VARCHAR),
  file.former,
  file.present,
  CAST(NULL AS VARCHAR),
  crawl.ended_at,
  file.ended_at
FROM file
JOIN crawl ON crawl.crawl_id = file.crawl_id
JOIN rule ON rule.project_id = crawl.project_id AND rule.change = file.change

UNION ALL
SELECT
  main.crawl_id,
  main.previous_crawl_id,
  fallen.project_id,
  'clicks',
  fallen.segmentation,
  fallen.segment,
  CAST(NULL AS BIGINT),
  CAST(NULL AS BIGINT),
  CAST(NULL AS DOUBLE),
  CAST(NULL AS BIGINT),
  CAST(fallen.former_clicks - fallen.clicks AS BIGINT),
  most_lost.most_in,
  CAST(fallen.former_clicks AS VARCHAR),
  CAST(fallen.clicks AS VARCHAR),
  CAST(NULL AS VARCHAR),
  to_timestamp(CAST(86400 * date_diff('day', DATE '1970-01-01', last_week.from_date) AS DOUBLE)),
  CAST(NULL AS TIMESTAMP WITH TIME ZONE)
FROM fallen
JOIN main ON main.project_id = fallen.project_id
JOIN last_week ON last_week.project_id = fallen.project_id
LEFT JOIN most_lost ON most_lost.project_id = fallen.project_id
WHERE fallen.segmentation = '(site)' OR fallen.has_site = 0 AND fallen.place = 1
