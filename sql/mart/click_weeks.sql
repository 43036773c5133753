/*
name: mart.click_weeks
kind: table
description: >-
  Clicks of a project's pages in each of the last weeks of search results, at most ten, by segment of the project's main
  crawl. One row for each segment and week. A week consists of seven days with rows, counted back from the newest day.
grain: [project_id, segmentation, segment, week]
columns:
  project_id: Identifier of the project.
  segmentation: (site), (directory) or the name of a segmentation.
  segment: The segment; (site) for all URLs, including URLs that the crawl does not have.
  week: Number of the week, 0 for the newest one.
  from_date: First day of the week.
  to_date: Last day of the week.
  clicks: Number of clicks, 0 where the segment has no row in the week.
*/
WITH
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
    SELECT crawl_id, project_id
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
  )

-- A segment without a row in a week has no clicks in it.
SELECT
  segments.project_id,
  segments.segmentation,
  segments.segment,
  weeks.week,
  weeks.from_date,
  weeks.to_date,
  CAST(coalesce(sum(own.clicks), 0) AS BIGINT) AS clicks
FROM (SELECT DISTINCT project_id, segmentation, segment FROM shown_place) AS segments
JOIN (
  SELECT project_id, week, min(ranking_date) AS from_date, max(ranking_date) AS to_date
  FROM week
  GROUP BY project_id, week
) AS weeks ON weeks.project_id = segments.project_id
LEFT JOIN shown_place AS own
  ON own.project_id = segments.project_id
  AND own.segmentation = segments.segmentation
  AND own.segment = segments.segment
  AND own.week = weeks.week
GROUP BY
  segments.project_id, segments.segmentation, segments.segment, weeks.week, weeks.from_date, weeks.to_date
