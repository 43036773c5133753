/*
title: Pages that lose clicks, with the changes of these pages
task: Search results
model: mart.ranking_performance
description: >-
  Each row is a page whose clicks fell by at least a fifth, and that had at least ten clicks before. Compares the 28
  days until the last day of the main crawl or of the chosen crawl (mart.crawl_days), or until the day before the chosen
  one, with the previous 28 days and with the same days 52 weeks earlier. It also compares the days since a change of
  the page with as many equal weekdays before it. The pages with the most lost clicks come first. A number for an
  earlier span is NULL, with the reason, if that span has search results for a different number of days than the last
  span. The clicks of a moved page (moved_from) count at its new URL. The row lists the changes that may have happened
  in these 56 days, each with the day of the crawl that found it. A crawl that ended after the last day counts if the
  previous crawl ended by then.
parameters:
  project:
  crawl:
  segment:
  to:
  limit:
  min_clicks: {type: BIGINT, default: 10, description: 'A page with fewer clicks in the earlier days does not count.'}
  min_loss_percent: {type: DOUBLE, default: 20, description: 'A smaller loss, as a percentage of the earlier clicks, does not count.'}
needs: {ranking_days: 56}
chart: {kind: bar, x: url, y: clicks_lost, each: [project_name, project_id]}
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

  main AS (
    SELECT project_id, crawl_id, crawl_config_name, coalesce(crawl_config_id, '') AS config
    FROM mart.crawls
    WHERE has_pages AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  -- Crawls whose changes may have happened in the 56 days: between the previous crawl and this one.
  found AS (
    SELECT
      crawls.project_id,
      crawls.crawl_id,
      CAST(crawls.ended_at AT TIME ZONE 'UTC' AS DATE) AS found_date,
      CAST(previous.ended_at AT TIME ZONE 'UTC' AS DATE) AS previous_date,
      period.last_date
    FROM mart.crawls AS crawls
    JOIN main ON main.project_id = crawls.project_id AND main.config = coalesce(crawls.crawl_config_id, '')
    JOIN mart.crawls AS previous ON previous.crawl_id = crawls.previous_crawl_id
    JOIN period ON period.project_id = crawls.project_id
    WHERE date_diff('day', CAST(crawls.ended_at AT TIME ZONE 'UTC' AS DATE), period.last_date) <= 55
      AND date_diff('day', CAST(previous.ended_at AT TIME ZONE 'UTC' AS DATE), period.last_date) >= 0
  ),

  -- The new URLs of pages: by permanent redirects of the crawl, else where a crawl found the page at another URL.
  move AS (
    SELECT main.project_id, map.url, max(map.final_url) AS moved_to, 1 AS place
    FROM mart.redirect_map AS map
    JOIN main ON main.crawl_id = map.crawl_id
    WHERE map.final_status_code = 200 AND NOT map.is_loop AND NOT map.is_cut
    GROUP BY main.project_id, map.url
    HAVING count(CASE WHEN map.hop_status_code IN (301, 308) THEN 1 END) = count(*)

    UNION ALL
    SELECT found.project_id, changes.url, changes.moved_to, 2
    FROM found
    JOIN mart.page_changes AS changes ON changes.crawl_id = found.crawl_id
    WHERE changes.change = 'moved'
  ),

  moved AS (
    SELECT project_id, url, moved_to
    FROM (
      SELECT *, row_number() OVER (PARTITION BY project_id, url ORDER BY place, moved_to) AS choice
      FROM move
      WHERE moved_to <> url
    ) AS chosen
    WHERE choice = 1
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
      coalesce(moved.moved_to, performance.url) AS url,
      CASE WHEN moved.url IS NOT NULL THEN performance.url END AS former_url,
      performance.clicks,
      performance.impressions,
      performance.position_impressions,
      CASE WHEN performance.position IS NOT NULL THEN performance.impressions END AS positioned_impressions,
      CASE
        WHEN date_diff('day', performance.date, period.last_date) BETWEEN 0 AND 27 THEN 'now'
        WHEN date_diff('day', performance.date, period.last_date) BETWEEN 28 AND 55 THEN 'before'
        WHEN date_diff('day', performance.date, period.last_date) BETWEEN 364 AND 391 THEN 'year'
      END AS age,
      performance.date
    FROM mart.ranking_performance AS performance
    JOIN period ON period.project_id = performance.project_id
    LEFT JOIN moved ON moved.project_id = performance.project_id AND moved.url = performance.url
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
        / nullif(sum(CASE WHEN age = 'before' THEN positioned_impressions END), 0) AS average_position_before,
      array_agg(DISTINCT former_url ORDER BY former_url) FILTER (WHERE former_url IS NOT NULL) AS moved_from
    FROM aged
    WHERE age IS NOT NULL
    GROUP BY project_id, url
  ),

  change AS (
    SELECT
      found.project_id,
      found.crawl_id,
      found.found_date,
      found.previous_date,
      found.last_date,
      coalesce(moved.moved_to, changes.url) AS url,
      CASE changes.change
        WHEN 'is_indexable'
          THEN CASE
            WHEN changes."before" = 'false' AND changes."after" = 'true' THEN 'became indexable'
            WHEN changes."before" = 'true' AND changes."after" = 'false'
              THEN 'no longer indexable' || coalesce(': ' || replace(pages.non_indexable_reason, '_', ' '), '')
            ELSE 'indexable: ' || coalesce(changes."before", 'unknown') || ' to ' || coalesce(changes."after", 'unknown')
          END
        WHEN 'status_code' THEN 'status ' || coalesce(changes."before", 'unknown') || ' to ' || coalesce(changes."after", 'unknown')
        WHEN 'added' THEN 'new URL'
        WHEN 'moved' THEN 'moved to ' || changes.moved_to
        WHEN 'removed' THEN CASE WHEN changes.reason = 'merged' THEN 'redirects to ' || changes.moved_to ELSE 'gone' END
        WHEN 'missing' THEN 'not read: ' || replace(changes.reason, '_', ' ')
        WHEN 'rel_canonical' THEN 'canonical changed'
        ELSE replace(changes.change, '_', ' ') || ' changed'
      END AS said
    FROM found
    JOIN mart.page_changes AS changes ON changes.crawl_id = found.crawl_id
    LEFT JOIN mart.pages AS pages ON pages.crawl_id = changes.crawl_id AND pages.url = changes.url
    LEFT JOIN moved ON moved.project_id = found.project_id AND moved.url = changes.url
  ),

  -- The days since a change, up to the crawl that found the next one. Where they end before the crawl that found the
  -- change, they begin after the previous crawl. They are compared with as many of the same weekdays that end by the
  -- day of the previous crawl.
  since AS (
    SELECT
      project_id,
      url,
      found_date,
      from_date,
      to_date,
      7 * greatest(coalesce(CAST(floor(CAST(date_diff('day', previous_date, to_date) + 6 AS DOUBLE) / 7) AS BIGINT), 1), 1) AS shift
    FROM (
      SELECT
        project_id,
        url,
        found_date,
        min(previous_date) AS previous_date,
        CASE WHEN found_date <= last_date THEN found_date ELSE CAST(min(previous_date) + INTERVAL '1' DAY AS DATE) END AS from_date,
        least(
          coalesce(last_date, found_date),
          coalesce(
            CAST(lead(found_date) OVER (PARTITION BY project_id, url ORDER BY found_date) - INTERVAL '1' DAY AS DATE), last_date
          )
        ) AS to_date,
        last_date
      FROM change
      GROUP BY project_id, url, found_date, last_date
    ) AS bounded
    WHERE to_date >= from_date AND date_diff('day', from_date, last_date) <= 27
  ),

  spent AS (
    SELECT
      since.project_id,
      since.url,
      since.found_date,
      since.from_date,
      since.to_date,
      since.shift,
      coalesce(sum(CASE WHEN aged.date BETWEEN since.from_date AND since.to_date THEN aged.clicks END), 0) AS clicks_since,
      coalesce(
        sum(
          CASE
            WHEN date_diff('day', aged.date, since.to_date)
              BETWEEN since.shift AND since.shift + date_diff('day', since.from_date, since.to_date)
              THEN aged.clicks
          END
        ),
        0
      ) AS clicks_until
    FROM since
    JOIN aged ON aged.project_id = since.project_id AND aged.url = since.url
    GROUP BY since.project_id, since.url, since.found_date, since.from_date, since.to_date, since.shift
  ),

  spent_days AS (
    SELECT
      since.project_id,
      since.from_date,
      since.to_date,
      since.shift,
      count(CASE WHEN days.ranking_date BETWEEN since.from_date AND since.to_date THEN 1 END) AS days,
      count(
        CASE
          WHEN date_diff('day', days.ranking_date, since.to_date)
            BETWEEN since.shift AND since.shift + date_diff('day', since.from_date, since.to_date)
            THEN 1
        END
      ) AS days_until
    FROM (SELECT DISTINCT project_id, from_date, to_date, shift FROM since) AS since
    JOIN mart.ranking_days AS days ON days.project_id = since.project_id
    GROUP BY since.project_id, since.from_date, since.to_date, since.shift
  ),

  -- Of several changes, the one that cost the most clicks.
  accident AS (
    SELECT project_id, url, found_date, from_date, to_date, clicks_since, clicks_until
    FROM (
      SELECT
        spent.*,
        row_number() OVER (
          PARTITION BY spent.project_id, spent.url ORDER BY spent.clicks_until - spent.clicks_since DESC, spent.found_date
        ) AS place
      FROM spent
      JOIN spent_days
        ON spent_days.project_id = spent.project_id
        AND spent_days.from_date = spent.from_date
        AND spent_days.to_date = spent.to_date
        AND spent_days.shift = spent.shift
      WHERE spent_days.days = spent_days.days_until AND spent.clicks_until > spent.clicks_since
    ) AS placed
    WHERE place = 1
  ),

  -- Spans are compared if they have the same number of days.
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
      total.moved_from,
      CASE WHEN covered.days_before <> covered.days
        THEN 'days with search results: ' || CAST(covered.days AS VARCHAR) || ', before: '
          || CAST(covered.days_before AS VARCHAR)
      END AS clicks_change_reason,
      CASE WHEN covered.days_year_ago <> covered.days
        THEN 'days with search results: ' || CAST(covered.days AS VARCHAR) || ', a year ago: '
          || CAST(covered.days_year_ago AS VARCHAR)
      END AS clicks_change_in_a_year_reason,
      accident.found_date,
      accident.from_date,
      accident.to_date,
      accident.clicks_since,
      accident.clicks_until
    FROM total
    JOIN covered ON covered.project_id = total.project_id
    LEFT JOIN accident ON accident.project_id = total.project_id AND accident.url = total.url
  ),

  compared AS (
    SELECT
      *,
      CAST(100 * (clicks - clicks_before) AS DOUBLE) / nullif(clicks_before, 0) AS change_percent,
      CAST(100 * (clicks - clicks_year_ago) AS DOUBLE) / nullif(clicks_year_ago, 0) AS change_in_a_year_percent,
      CAST(100 * (clicks_since - clicks_until) AS DOUBLE) / nullif(clicks_until, 0) AS change_since_percent
    FROM comparable
  ),

  decaying AS (
    SELECT *
    FROM compared
    WHERE (clicks_before >= $min_clicks AND change_percent <= -$min_loss_percent)
      OR (clicks_year_ago >= $min_clicks AND change_in_a_year_percent <= -$min_loss_percent)
      OR (clicks_until >= $min_clicks AND change_since_percent <= -$min_loss_percent)
  ),

  changed AS (
    SELECT
      project_id,
      url,
      array_agg(
        DISTINCT CAST(found_date AS VARCHAR) || ' ' || said ORDER BY CAST(found_date AS VARCHAR) || ' ' || said
      ) AS changes
    FROM change
    GROUP BY project_id, url
  ),

  answer AS (
    SELECT
      projects.project_name,
      decaying.project_id,
      main.crawl_config_name,
      main.crawl_id,
      period.last_date AS to_date,
      decaying.url,
      coalesce(decaying.moved_from, CAST(ARRAY[] AS VARCHAR[])) AS moved_from,
      CAST(
        greatest(
          coalesce(decaying.clicks_before - decaying.clicks, 0),
          coalesce(decaying.clicks_year_ago - decaying.clicks, 0),
          coalesce(decaying.clicks_until - decaying.clicks_since, 0)
        ) AS BIGINT
      ) AS clicks_lost,
      CAST(decaying.clicks AS BIGINT) AS clicks,
      CAST(decaying.clicks_before AS BIGINT) AS clicks_before,
      CAST(decaying.clicks_year_ago AS BIGINT) AS clicks_year_ago,
      CAST(round(CAST(decaying.change_percent AS DECIMAL(38, 9)), 1) AS DOUBLE) AS clicks_change_percent,
      decaying.clicks_change_reason,
      CAST(round(CAST(decaying.change_in_a_year_percent AS DECIMAL(38, 9)), 1) AS DOUBLE) AS clicks_change_in_a_year_percent,
      decaying.clicks_change_in_a_year_reason,
      decaying.found_date AS change_date,
      decaying.from_date AS since_from_date,
      decaying.to_date AS since_to_date,
      CAST(decaying.clicks_since AS BIGINT) AS clicks_since,
      CAST(decaying.clicks_until AS BIGINT) AS clicks_weekdays_before,
      CAST(decaying.impressions AS BIGINT) AS impressions,
      CAST(decaying.impressions_before AS BIGINT) AS impressions_before,
      CAST(round(CAST(decaying.average_position AS DECIMAL(38, 9)), 1) AS DOUBLE) AS average_position,
      CAST(round(CAST(decaying.average_position_before AS DECIMAL(38, 9)), 1) AS DOUBLE) AS average_position_before,
      pages.status_code,
      pages.is_indexable,
      coalesce(changed.changes, CAST(ARRAY[] AS VARCHAR[])) AS changes
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
  moved_from,
  clicks_lost,
  clicks,
  clicks_before,
  clicks_year_ago,
  clicks_change_percent,
  clicks_change_reason,
  clicks_change_in_a_year_percent,
  clicks_change_in_a_year_reason,
  change_date,
  since_from_date,
  since_to_date,
  clicks_since,
  clicks_weekdays_before,
  impressions,
  impressions_before,
  average_position,
  average_position_before,
  status_code,
  is_indexable,
  changes
FROM (
  SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY clicks_lost DESC, url) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, project_id, clicks_lost DESC, url
