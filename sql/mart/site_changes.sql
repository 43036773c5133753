/*
name: mart.site_changes
kind: table
description: >-
  Changes of a website that are incidents (docs/operate.md, changes of a website), found in the crawls of the 28 days
  before the newest crawl of each configuration. One row for each crawl that found a change, change and segment. The
  changes setting contains their thresholds. A page that a crawl did not request or could not read never counts as
  changed.
grain: [crawl_id, change, segmentation, segment]
columns:
  crawl_id: Identifier of the crawl that found the change; for clicks, of the project's main crawl.
  previous_crawl_id: {description: Identifier of the crawl that it is compared with (mart.crawls.previous_crawl_id)., nullable: true}
  project_id: Identifier of their project.
  change:
    description: >-
      robots_denied, noindex or canonicalised (pages that were indexable became non-indexable), client_error or
      server_error (pages return an error and did not before), title or canonical (those of a template changed),
      start_page (the start page is no longer indexable), robots_txt (the text of robots.txt changed), sitemap (a
      sitemap can no longer be read, or no page is in a sitemap anymore) or clicks (the clicks of a week fell).
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
    (site), or, where the change does not reach its thresholds in the whole site, (directory) or the name of one of the
    project's own segmentations. (file) for a robots.txt or a sitemap.
  segment: The segment; (site) for all pages; the URL of a file.
  pages: Number of pages that changed, or that were in the sitemap; NULL for robots_txt and clicks.
  of_pages: >-
    Number of pages that could have changed: formerly indexable pages, all pages, or, for title and canonical, pages
    with status 200 in both crawls. NULL for files and clicks.
  pages_percent: Value of pages as a percentage of of_pages, with one decimal.
  pages_left: Number of these pages that no later crawl found in their previous state.
  clicks: >-
    Clicks at risk: clicks on the pages on the days that belong to the crawl (mart.page_demand.clicks); for clicks,
    their decrease. NULL if no search results of these days are known.
  most_in: First directory with the most of the pages, or of the lost clicks.
  before: >-
    The previous value, on the example page; for robots_txt, its text; for clicks, the clicks of the earlier week.
  after: The current value.
  example: >-
    URL of the page with the most clicks, the first of several; NULL for files and clicks.
  began_at: When the crawl that found it ended, a point in time; for clicks, the start of the week.
  ended_at: >-
    End of the crawl from which fewer pages than the thresholds are left, a point in time; NULL while the change is
    open.
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

  shown AS (
    SELECT DISTINCT crawl_id
    FROM mart.page_demand
    WHERE crawl_id IS NOT NULL
  ),

  placed AS (
    SELECT '(site)' AS segmentation, '(site)' AS segment, page.*
    FROM mart.site_change_pages AS page

    UNION ALL
    SELECT '(directory)', page.url_first_path, page.*
    FROM mart.site_change_pages AS page
    WHERE page.url_first_path IS NOT NULL AND page.change <> 'start_page'

    UNION ALL
    SELECT groups.segmentation, groups.segment, page.*
    FROM mart.site_change_pages AS page
    JOIN mart.page_groups AS groups ON groups.crawl_id = page.page_crawl_id AND groups.url = page.url
    WHERE groups.segment IS NOT NULL AND page.change <> 'start_page'
  ),

  -- DuckDB 1.5 reads all columns of mart.pages if it is joined to a DISTINCT with unused columns.
  found AS (
    SELECT crawl_id, url, url_first_path
    FROM mart.pages
    WHERE status_code = 200
  ),

  -- Pages with a title or canonical in both crawls, only where these changed.
  both_crawls AS (
    SELECT crawl.crawl_id, pages.url, pages.url_first_path
    FROM crawl
    JOIN (
      SELECT DISTINCT crawl_id
      FROM mart.site_change_pages
      WHERE change IN ('title', 'canonical')
    ) AS own ON own.crawl_id = crawl.crawl_id
    JOIN found AS pages ON pages.crawl_id = crawl.crawl_id
    JOIN found AS former ON former.crawl_id = crawl.previous_crawl_id AND former.url = pages.url
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
      rule.previous_crawl_id,
      rule.project_id,
      rule.ended_at AS began_at,
      rule.least,
      rule.least_percent,
      CASE
        WHEN counted.change = 'start_page' THEN 1
        WHEN counted.change IN ('title', 'canonical') THEN template.pages
        WHEN counted.change IN ('client_error', 'server_error') THEN present.pages
        ELSE former.indexable_pages
      END AS of_pages
    FROM counted
    JOIN mart.site_change_rules AS rule ON rule.crawl_id = counted.crawl_id AND rule.change = counted.change
    LEFT JOIN mart.crawl_segments AS present
      ON present.crawl_id = rule.crawl_id
      AND present.segmentation = counted.segmentation
      AND present.segment = counted.segment
    LEFT JOIN mart.crawl_segments AS former
      ON former.crawl_id = rule.previous_crawl_id
      AND former.segmentation = counted.segmentation
      AND former.segment = counted.segment
    LEFT JOIN template
      ON template.crawl_id = counted.crawl_id
      AND template.segmentation = counted.segmentation
      AND template.segment = counted.segment
  ),

  -- More than half of the pages for a template, at least the configured number for the others.
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

  -- The change of the whole site covers its segments. Of segments with the same pages, the one of the project's own
  -- segmentation counts.
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

  -- The first later crawl in which the number of pages falls below the thresholds.
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

  -- A missing robots.txt is also a known state.
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

  -- A refusal, no answer and the end of the time for sitemaps show nothing about a sitemap.
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

  -- Files and sitemaps, with the first later crawl that shows their former state.
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

  moved AS (
    SELECT
      now.project_id, now.segmentation, now.segment, now.week, now.from_date, now.clicks,
      former.from_date AS former_from_date, former.clicks AS former_clicks, now.to_date,
      100 * CAST(now.clicks - former.clicks AS DOUBLE) / nullif(former.clicks, 0) AS percent
    FROM mart.click_weeks AS now
    JOIN mart.click_weeks AS former
      ON former.project_id = now.project_id
      AND former.segmentation = now.segmentation
      AND former.segment = now.segment
      AND former.week = now.week + 1
  ),

  -- The median of how far the previous weeks moved, for at least three weeks.
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
      rule.crawl_id,
      rule.previous_crawl_id,
      moved.project_id,
      moved.from_date,
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
    JOIN mart.site_change_rules AS rule ON rule.project_id = moved.project_id AND rule.change = 'clicks'
    LEFT JOIN usual
      ON usual.project_id = moved.project_id
      AND usual.segmentation = moved.segmentation
      AND usual.segment = moved.segment
    WHERE moved.week = 0
      -- Two weeks of consecutive days.
      AND date_diff('day', moved.former_from_date, moved.to_date) = 13
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
  page."before",
  page."after",
  opened.example,
  opened.began_at,
  over.ended_at
FROM opened
JOIN mart.site_change_pages AS page
  ON page.crawl_id = opened.crawl_id AND page.change = opened.change AND page.url = opened.example
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
JOIN mart.site_change_rules AS rule ON rule.crawl_id = file.crawl_id AND rule.change = file.change

UNION ALL
SELECT
  fallen.crawl_id,
  fallen.previous_crawl_id,
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
  to_timestamp(CAST(86400 * date_diff('day', DATE '1970-01-01', fallen.from_date) AS DOUBLE)),
  CAST(NULL AS TIMESTAMP WITH TIME ZONE)
FROM fallen
LEFT JOIN most_lost ON most_lost.project_id = fallen.project_id
WHERE fallen.segmentation = '(site)' OR fallen.has_site = 0 AND fallen.place = 1
