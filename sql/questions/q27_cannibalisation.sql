/*
title: Queries for which several pages compete
task: Search results
model: mart.ranking_performance
description: >-
  Each row is a URL of a query for which at least two URLs each have a tenth of the impressions. Covers the days of the
  main crawl (mart.crawl_days), or the chosen days. Language versions of one page do not compete, so at least two of the
  URLs must not share an hreflang cluster of the main crawl. The leader of a day is the URL with the most impressions.
  leader_changes counts the days with a different leader than on the previous day that showed one of the URLs.
parameters:
  project:
  from:
  to:
  limit:
  min_percent: {type: DOUBLE, default: 10, description: 'A URL with a smaller percentage of the impressions does not count.'}
needs: [ranking_queries]
chart: {kind: bar, x: query, y: impressions, each: [project_name, project_id]}
*/
WITH
  period AS (
    SELECT DISTINCT days.project_id, days.from_date, days.to_date
    FROM mart.crawl_days AS days
    LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = days.crawl_id
    WHERE days.dataset = 'ranking_performance' AND coalesce(crawls.is_main, days.crawl_id IS NULL)
  ),

  shown AS (
    SELECT
      performance.project_id,
      performance.query,
      performance.url,
      performance.date,
      sum(performance.impressions) AS impressions,
      sum(performance.clicks) AS clicks,
      sum(CAST(performance.position_impressions AS DECIMAL(38, 9))) AS position_impressions,
      sum(CASE WHEN performance.position IS NOT NULL THEN performance.impressions END) AS positioned_impressions
    FROM mart.ranking_performance AS performance
    LEFT JOIN period ON period.project_id = performance.project_id
    WHERE performance.query IS NOT NULL
      AND performance.url IS NOT NULL
      AND performance.impressions > 0
      AND CASE
        WHEN $from IS NULL AND $to IS NULL THEN performance.date BETWEEN period.from_date AND period.to_date
        ELSE ($from IS NULL OR performance.date >= $from) AND ($to IS NULL OR performance.date < $to)
      END
    GROUP BY performance.project_id, performance.query, performance.url, performance.date
  ),

  url_total AS (
    SELECT
      project_id,
      query,
      url,
      sum(impressions) AS impressions,
      sum(clicks) AS clicks,
      CAST(sum(position_impressions) AS DOUBLE) / nullif(sum(positioned_impressions), 0) AS average_position
    FROM shown
    GROUP BY project_id, query, url
  ),

  -- Language versions share one name: their cluster, or else the first URL that they declare.
  declared AS (
    SELECT crawl_id, url, min(href) AS first_href
    FROM mart.page_hreflangs
    WHERE crawl_id IN (SELECT crawl_id FROM mart.crawls WHERE is_main)
    GROUP BY crawl_id, url
  ),

  version AS (
    SELECT
      pages.project_id,
      pages.url,
      coalesce(
        pages.hreflang_cluster_id, CASE WHEN declared.first_href < pages.url THEN declared.first_href END, pages.url
      ) AS page
    FROM mart.pages AS pages
    JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_main
    LEFT JOIN declared ON declared.crawl_id = pages.crawl_id AND declared.url = pages.url
  ),

  shared AS (
    SELECT
      url_total.*,
      coalesce(version.page, url_total.url) AS page,
      sum(url_total.impressions) OVER (PARTITION BY url_total.project_id, url_total.query) AS query_impressions
    FROM url_total
    LEFT JOIN version ON version.project_id = url_total.project_id AND version.url = url_total.url
  ),

  competing AS (
    SELECT
      *,
      count(*) OVER (PARTITION BY project_id, query) AS urls,
      min(page) OVER (PARTITION BY project_id, query) <> max(page) OVER (PARTITION BY project_id, query) AS is_of_pages
    FROM shared
    WHERE CAST(100 * impressions AS DOUBLE) / query_impressions >= $min_percent
  ),

  daily AS (
    SELECT
      shown.project_id,
      shown.query,
      shown.date,
      shown.url,
      competing.page,
      row_number() OVER (
        PARTITION BY shown.project_id, shown.query, shown.date
        ORDER BY shown.impressions DESC, shown.clicks DESC, shown.url
      ) AS place
    FROM shown
    JOIN competing
      ON competing.project_id = shown.project_id AND competing.query = shown.query AND competing.url = shown.url
    WHERE competing.is_of_pages
  ),

  leader AS (
    SELECT
      project_id,
      query,
      url,
      page,
      lag(page) OVER (PARTITION BY project_id, query ORDER BY date) AS former_page
    FROM daily
    WHERE place = 1
  ),

  changes AS (
    SELECT project_id, query, count(CASE WHEN page <> former_page THEN 1 END) AS leader_changes
    FROM leader
    GROUP BY project_id, query
  ),

  led AS (
    SELECT project_id, query, url, count(*) AS days_as_leader
    FROM leader
    GROUP BY project_id, query, url
  ),

  answer AS (
    SELECT
      projects.project_name,
      competing.project_id,
      competing.query,
      CAST(competing.query_impressions AS BIGINT) AS query_impressions,
      competing.urls,
      changes.leader_changes,
      competing.url,
      CAST(competing.impressions AS BIGINT) AS impressions,
      CAST(round(CAST(CAST(100 * competing.impressions AS DOUBLE) / competing.query_impressions AS DECIMAL(38, 9)), 1) AS DOUBLE)
        AS impressions_percent,
      CAST(competing.clicks AS BIGINT) AS clicks,
      CAST(round(CAST(competing.average_position AS DECIMAL(38, 9)), 1) AS DOUBLE) AS average_position,
      coalesce(led.days_as_leader, 0) AS days_as_leader
    FROM competing
    JOIN changes ON changes.project_id = competing.project_id AND changes.query = competing.query
    LEFT JOIN led
      ON led.project_id = competing.project_id AND led.query = competing.query AND led.url = competing.url
    LEFT JOIN mart.projects AS projects ON projects.project_id = competing.project_id
    WHERE $project IS NULL OR competing.project_id = $project OR projects.project_name = $project
  )

SELECT
  project_name,
  project_id,
  query,
  query_impressions,
  urls,
  leader_changes,
  url,
  impressions,
  impressions_percent,
  clicks,
  average_position,
  days_as_leader
FROM (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY project_id ORDER BY query_impressions DESC, query, impressions DESC, clicks DESC, url
    ) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, project_id, query_impressions DESC, query, impressions DESC, clicks DESC, url
