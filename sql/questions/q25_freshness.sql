/*
title: "Freshness: days from the first crawl of a page to its first bot, impression and visit"
task: Bots and crawl budget
model: mart.bot_hits
description: >-
  Each row is a page that did not return 200 in the first crawl of the project's main configuration, but did in a later
  crawl. The previous crawl read the page with another status, or read all links of the website without a link to it.
  The row shows when the first such crawl ended, and the first day on which a search engine bot requested the page,
  search results showed it, and a person came from search results. Numbers of days count from that crawl, and are NULL
  for earlier events. A date is NULL if the event has not happened according to the log files (bots from logs_from_date
  on, visits from visits_from_date on) and search results (from shown_from_date on). visits_from_date is NULL if visits
  are unknown on all days, as in logs without referrers. The chosen days are those of the crawl.
parameters: [project, segment, from, to, limit]
needs: [second_crawl]
chart: {kind: histogram, x: days_to_bot, each: [project_name, project_id]}
*/
WITH
  main AS (
    SELECT project_id, project_name, is_comparable, coalesce(crawl_config_id, '') AS config
    FROM mart.crawls
    WHERE is_main
      AND ($project IS NULL OR project_id = $project OR project_name = $project)
  ),

  crawl AS (
    SELECT
      main.project_id,
      main.project_name,
      crawls.crawl_id,
      coalesce(crawls.has_all_links, true) AS has_all_links,
      row_number() OVER (PARTITION BY main.project_id ORDER BY crawls.ended_at, crawls.crawl_id) AS number,
      CAST(crawls.ended_at AT TIME ZONE 'UTC' AS DATE) AS seen_date
    FROM main
    JOIN mart.crawls AS crawls
      ON crawls.project_id = main.project_id AND coalesce(crawls.crawl_config_id, '') = main.config
    WHERE (crawls.is_comparable OR NOT main.is_comparable)
      AND crawls.has_pages
      AND coalesce(crawls.pages, 1) > 0
      AND crawls.ended_at IS NOT NULL
  ),

  seen AS (
    SELECT crawl.project_id, pages.url, min(crawl.number) AS number
    FROM crawl
    JOIN mart.pages AS pages ON pages.crawl_id = crawl.crawl_id
    WHERE pages.status_code = 200
    GROUP BY crawl.project_id, pages.url
  ),

  fresh AS (
    SELECT crawl.project_id, crawl.project_name, crawl.crawl_id, crawl.seen_date, seen.url
    FROM seen
    JOIN crawl ON crawl.project_id = seen.project_id AND crawl.number = seen.number
    JOIN crawl AS former ON former.project_id = seen.project_id AND former.number = seen.number - 1
    LEFT JOIN mart.pages AS before ON before.crawl_id = former.crawl_id AND before.url = seen.url
    WHERE seen.number > 1
      -- A page that the previous crawl could not show may be old.
      AND CASE
        WHEN before.url IS NULL THEN former.has_all_links
        ELSE coalesce(before.observation, 'read') IN ('read', 'gone')
      END
      AND ($from IS NULL OR crawl.seen_date >= $from)
      AND ($to IS NULL OR crawl.seen_date < $to)
  ),

  -- Of all days, including days that belong to no crawl.
  asked AS (
    SELECT project_id, url, min(day) AS first_bot_date
    FROM mart.bot_hits
    WHERE bot_class = 'search'
    GROUP BY project_id, url
  ),

  visited AS (
    SELECT
      project_id,
      url,
      min(CASE WHEN is_visit THEN day END) AS first_visit_date,
      -- In a log without referrers, only the requests of bots are known not to be visits.
      min(CASE WHEN is_visit OR NOT is_visit AND is_person THEN day END) AS first_known_date
    FROM (
      SELECT project_id, url, day, is_seo_visit AS is_visit, NOT coalesce(is_bot, false) AS is_person
      FROM mart.log_events
      WHERE coalesce(bot_class, '') <> 'unverified'

      UNION ALL
      SELECT pages.project_id, pages.url, pages.day, pages.seo_visits > 0, coalesce(pages.visits, 1) > 0
      FROM mart.log_pages_days AS pages
      JOIN mart.log_days AS days
        ON days.project_id = pages.project_id AND days.day = pages.day AND days.dataset = 'log_pages_days'
    ) AS asked_for
    GROUP BY project_id, url
  ),

  visits AS (
    SELECT project_id, min(first_known_date) AS visits_from_date
    FROM visited
    GROUP BY project_id
  ),

  shown AS (
    SELECT project_id, url, min(date) AS first_shown_date
    FROM mart.ranking_performance
    WHERE impressions > 0
    GROUP BY project_id, url
  ),

  logs AS (
    SELECT project_id, min(day) AS logs_from_date
    FROM mart.log_days
    GROUP BY project_id
  ),

  searches AS (
    SELECT project_id, min(date) AS shown_from_date
    FROM mart.ranking_performance
    GROUP BY project_id
  ),

  answer AS (
    SELECT
      fresh.project_id,
      fresh.project_name,
      fresh.crawl_id AS first_crawl_id,
      fresh.url,
      pages.url_first_path,
      fresh.seen_date AS first_seen_date,
      asked.first_bot_date,
      shown.first_shown_date,
      visited.first_visit_date,
      CASE
        WHEN asked.first_bot_date >= fresh.seen_date THEN date_diff('day', fresh.seen_date, asked.first_bot_date)
      END AS days_to_bot,
      CASE
        WHEN shown.first_shown_date >= fresh.seen_date THEN date_diff('day', fresh.seen_date, shown.first_shown_date)
      END AS days_to_shown,
      CASE
        WHEN visited.first_visit_date >= fresh.seen_date THEN date_diff('day', fresh.seen_date, visited.first_visit_date)
      END AS days_to_visit,
      logs.logs_from_date,
      searches.shown_from_date,
      visits.visits_from_date,
      row_number() OVER (PARTITION BY fresh.project_id ORDER BY fresh.seen_date DESC, fresh.url) AS place
    FROM fresh
    JOIN mart.pages AS pages ON pages.crawl_id = fresh.crawl_id AND pages.url = fresh.url
    LEFT JOIN asked ON asked.project_id = fresh.project_id AND asked.url = fresh.url
    LEFT JOIN visited ON visited.project_id = fresh.project_id AND visited.url = fresh.url
    LEFT JOIN shown ON shown.project_id = fresh.project_id AND shown.url = fresh.url
    LEFT JOIN visits ON visits.project_id = fresh.project_id
    LEFT JOIN logs ON logs.project_id = fresh.project_id
    LEFT JOIN searches ON searches.project_id = fresh.project_id
    WHERE $segment IS NULL
      OR $segment IN (pages.url_first_path, '(directory):' || pages.url_first_path)
      OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
  )

SELECT
  project_name,
  project_id,
  first_crawl_id,
  url,
  url_first_path,
  first_seen_date,
  first_bot_date,
  first_shown_date,
  first_visit_date,
  days_to_bot,
  days_to_shown,
  days_to_visit,
  logs_from_date,
  shown_from_date,
  visits_from_date
FROM answer
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, project_id, first_seen_date DESC, url
