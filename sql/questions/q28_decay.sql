/*
title: Pages that lose clicks, with what changed on them
task: Search results
model: mart.ranking_performance
description: >-
  URLs whose clicks fell by a fifth or more in the 28 days that end with the last one that belongs to the main crawl or
  the crawl asked for (mart.crawl_days), or before the day asked for, against the 28 days before or the same ones 52
  weeks earlier, where they had ten clicks or more then. A number of an earlier span is NULL, with the reason, where it
  has search results of fewer or more days than the last one.
  Changes are those that crawls found which ended in these 56 days, each as its day and the field or added, removed.
parameters:
  project:
  crawl:
  segment:
  to:
  limit:
  min_clicks: {type: BIGINT, default: 10, description: 'A URL with fewer clicks in the earlier 28 days does not count.'}
  min_loss_percent: {type: DOUBLE, default: 20, description: 'A smaller loss, as a percentage of the earlier clicks, does not count.'}
needs: {ranking_days: 56}
chart: {kind: bar, x: url, y: clicks_change_percent, each: [project_name, project_id]}
*/
WITH
  period AS (
    SELECT days.project_id, max(days.to_date) AS last_date
    FROM mart.crawl_days AS days
    LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = days.crawl_id
    WHERE $to IS NULL
      AND days.dataset = 'ranking_performance'
      AND ($crawl IS NULL AND coalesce(crawls.is_main, days.crawl_id IS NULL) OR days.crawl_id = $crawl)
    GROUP BY days.project_id

    UNION ALL
    SELECT project_id, max(date)
    FROM mart.ranking_performance
    WHERE date < $to
    GROUP BY project_id
  ),

  covered AS (
    SELECT
      period.project_id,
      count(CASE WHEN date_diff('day', days.ranking_date, period.last_date) BETWEEN 0 AND 27 THEN 1 END) AS days,
      count(CASE WHEN date_diff('day', days.ranking_date, period.last_date) BETWEEN 28 AND 55 THEN 1 END) AS days_before,
      count(CASE WHEN date_diff('day', days.ranking_date, period.last_date) BETWEEN 364 AND 391 THEN 1 END) AS days_year_ago
    FROM period
    JOIN mart.ranking_days AS days ON days.project_id = period.project_id
    GROUP BY period.project_id
  ),

  aged AS (
    SELECT
      performance.project_id,
      performance.url,
      performance.clicks,
      performance.impressions,
      performance.position_impressions,
      CASE WHEN performance.position IS NOT NULL THEN performance.impressions END AS positioned_impressions,
      CASE
        WHEN date_diff('day', performance.date, period.last_date) BETWEEN 0 AND 27 THEN 'now'
        WHEN date_diff('day', performance.date, period.last_date) BETWEEN 28 AND 55 THEN 'before'
        WHEN date_diff('day', performance.date, period.last_date) BETWEEN 364 AND 391 THEN 'year'
      END AS age
    FROM mart.ranking_performance AS performance
    JOIN period ON period.project_id = performance.project_id
    WHERE performance.url IS NOT NULL
  ),

  total AS (
    SELECT
      project_id,
      url,
      coalesce(sum(CASE WHEN age = 'now' THEN clicks END), 0) AS clicks,
      coalesce(sum(CASE WHEN age = 'before' THEN clicks END), 0) AS clicks_before,
      coalesce(sum(CASE WHEN age = 'year' THEN clicks END), 0) AS clicks_year_ago,
      coalesce(sum(CASE WHEN age = 'now' THEN impressions END), 0) AS impressions,
      coalesce(sum(CASE WHEN age = 'before' THEN impressions END), 0) AS impressions_before,
      CAST(sum(CASE WHEN age = 'now' THEN CAST(position_impressions AS DECIMAL(38, 9)) END) AS DOUBLE)
        / nullif(sum(CASE WHEN age = 'now' THEN positioned_impressions END), 0) AS average_position,
      CAST(sum(CASE WHEN age = 'before' THEN CAST(position_impressions AS DECIMAL(38, 9)) END) AS DOUBLE)
        / nullif(sum(CASE WHEN age = 'before' THEN positioned_impressions END), 0) AS average_position_before
    FROM aged
    WHERE age IS NOT NULL
    GROUP BY project_id, url
  ),

  -- Spans are compared where they have as many days.
  comparable AS (
    SELECT
      total.project_id,
      total.url,
      total.clicks,
      CASE WHEN covered.days_before = covered.days THEN total.clicks_before END AS clicks_before,
      CASE WHEN covered.days_year_ago = covered.days THEN total.clicks_year_ago END AS clicks_year_ago,
      total.impressions,
      CASE WHEN covered.days_before = covered.days THEN total.impressions_before END AS impressions_before,
      total.average_position,
      total.average_position_before,
      CASE WHEN covered.days_before <> covered.days
        THEN 'days with search results: ' || CAST(covered.days AS VARCHAR) || ', before: '
          || CAST(covered.days_before AS VARCHAR)
      END AS clicks_change_reason,
      CASE WHEN covered.days_year_ago <> covered.days
        THEN 'days with search results: ' || CAST(covered.days AS VARCHAR) || ', a year ago: '
          || CAST(covered.days_year_ago AS VARCHAR)
      END AS clicks_change_in_a_year_reason
    FROM total
    JOIN covered ON covered.project_id = total.project_id
  ),

  compared AS (
    SELECT
      *,
      CAST(100 * (clicks - clicks_before) AS DOUBLE) / nullif(clicks_before, 0) AS change_percent,
      CAST(100 * (clicks - clicks_year_ago) AS DOUBLE) / nullif(clicks_year_ago, 0) AS change_in_a_year_percent
    FROM comparable
  ),

  decaying AS (
    SELECT *
    FROM compared
    WHERE (clicks_before >= $min_clicks AND change_percent <= -$min_loss_percent)
      OR (clicks_year_ago >= $min_clicks AND change_in_a_year_percent <= -$min_loss_percent)
  ),

  main AS (
    SELECT project_id, crawl_id, crawl_config_name, coalesce(crawl_config_id, '') AS config
    FROM mart.crawls
    WHERE has_pages AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  found AS (
    SELECT
      crawls.project_id,
      crawls.crawl_id,
      CAST(crawls.ended_at AT TIME ZONE 'UTC' AS DATE) AS found_date
    FROM mart.crawls AS crawls
    JOIN main ON main.project_id = crawls.project_id AND main.config = coalesce(crawls.crawl_config_id, '')
  ),

  changed AS (
    SELECT
      decaying.project_id,
      decaying.url,
      array_agg(
        DISTINCT CAST(found.found_date AS VARCHAR) || ' ' || changes.change
        ORDER BY CAST(found.found_date AS VARCHAR) || ' ' || changes.change
      ) AS changes
    FROM decaying
    JOIN period ON period.project_id = decaying.project_id
    JOIN found ON found.project_id = decaying.project_id
    JOIN mart.page_changes AS changes ON changes.crawl_id = found.crawl_id AND changes.url = decaying.url
    WHERE date_diff('day', found.found_date, period.last_date) BETWEEN 0 AND 55
    GROUP BY decaying.project_id, decaying.url
  ),

  answer AS (
    SELECT
      projects.project_name,
      decaying.project_id,
      main.crawl_config_name,
      main.crawl_id,
      period.last_date AS to_date,
      decaying.url,
      CAST(decaying.clicks AS BIGINT) AS clicks,
      CAST(decaying.clicks_before AS BIGINT) AS clicks_before,
      CAST(decaying.clicks_year_ago AS BIGINT) AS clicks_year_ago,
      CAST(round(CAST(decaying.change_percent AS DECIMAL(38, 9)), 1) AS DOUBLE) AS clicks_change_percent,
      decaying.clicks_change_reason,
      CAST(round(CAST(decaying.change_in_a_year_percent AS DECIMAL(38, 9)), 1) AS DOUBLE) AS clicks_change_in_a_year_percent,
      decaying.clicks_change_in_a_year_reason,
      CAST(decaying.impressions AS BIGINT) AS impressions,
      CAST(decaying.impressions_before AS BIGINT) AS impressions_before,
      CAST(round(CAST(decaying.average_position AS DECIMAL(38, 9)), 1) AS DOUBLE) AS average_position,
      CAST(round(CAST(decaying.average_position_before AS DECIMAL(38, 9)), 1) AS DOUBLE) AS average_position_before,
      pages.status_code,
      pages.is_indexable,
      coalesce(changed.changes, CAST(ARRAY[] AS VARCHAR[])) AS changes,
      greatest(
        coalesce(decaying.clicks_before - decaying.clicks, 0), coalesce(decaying.clicks_year_ago - decaying.clicks, 0)
      ) AS loss
    FROM decaying
    JOIN period ON period.project_id = decaying.project_id
    LEFT JOIN main ON main.project_id = decaying.project_id
    LEFT JOIN mart.pages AS pages ON pages.crawl_id = main.crawl_id AND pages.url = decaying.url
    LEFT JOIN changed ON changed.project_id = decaying.project_id AND changed.url = decaying.url
    LEFT JOIN mart.projects AS projects ON projects.project_id = decaying.project_id
    WHERE ($project IS NULL OR decaying.project_id = $project OR projects.project_name = $project)
      AND ($crawl IS NULL OR main.crawl_id IS NOT NULL)
      AND (
        $segment IS NULL
        OR $segment IN (pages.url_first_path, '(directory):' || pages.url_first_path)
        OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
      )
  )

SELECT
  project_name,
  project_id,
  crawl_config_name,
  crawl_id,
  to_date,
  url,
  clicks,
  clicks_before,
  clicks_year_ago,
  clicks_change_percent,
  clicks_change_reason,
  clicks_change_in_a_year_percent,
  clicks_change_in_a_year_reason,
  impressions,
  impressions_before,
  average_position,
  average_position_before,
  status_code,
  is_indexable,
  changes
FROM (
  SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY loss DESC, url) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, project_id, loss DESC, url
