/*
title: Pages that AI crawlers read
task: Bots and crawl budget
model: mart.bot_hits
description: >-
  Each row is a URL and a crawler of an AI service, with its hits, the page of the crawl and its search results. Covers
  the days of the main crawl or of the chosen crawl (mart.crawl_days), or the chosen days. OK percent is the share of
  responses with status 2xx or 304 among responses with a status. Only lines of log files name these crawlers; the
  service's daily counts do not.
parameters: [project, crawl, segment, from, to, limit]
needs: [log_lines]
chart: {kind: bar, x: crawler, y: hits, each: [project_name, project_id]}
*/
WITH
  main AS (
    SELECT project_id, crawl_id, crawl_config_name
    FROM mart.crawls
    WHERE has_pages AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  -- The requested days, else the days that belong to the crawl.
  logged AS (
    SELECT days.project_id, days.data_date AS day, days.from_date, days.to_date
    FROM mart.crawl_days AS days
    LEFT JOIN main ON main.crawl_id = days.crawl_id
    WHERE $from IS NULL AND $to IS NULL
      AND days.kind = 'logs'
      AND (main.crawl_id IS NOT NULL OR days.crawl_id IS NULL)

    UNION ALL
    SELECT
      project_id, day, min(day) OVER (PARTITION BY project_id) AS from_date, max(day) OVER (PARTITION BY project_id) AS to_date
    FROM mart.log_days
    WHERE ($from IS NOT NULL OR $to IS NOT NULL)
      AND ($from IS NULL OR day >= $from)
      AND ($to IS NULL OR day < $to)
  ),

  asked AS (
    SELECT
      hits.project_id,
      hits.url,
      hits.engine,
      hits.crawler,
      sum(hits.hits) AS hits,
      count(DISTINCT hits.day) AS days,
      min(hits.day) AS first_date,
      max(hits.day) AS last_date,
      sum(CASE WHEN hits.status_class = 'ok' THEN hits.hits ELSE 0 END) AS ok_hits,
      sum(CASE WHEN hits.status_class IS NOT NULL THEN hits.hits END) AS answered_hits
    FROM mart.bot_hits AS hits
    JOIN logged ON logged.project_id = hits.project_id AND logged.day = hits.day
    WHERE hits.bot_class = 'ai'
    GROUP BY hits.project_id, hits.url, hits.engine, hits.crawler
  ),

  known AS (
    SELECT crawler, min(purpose) AS purpose
    FROM mart.bots
    GROUP BY crawler
  ),

  answer AS (
    SELECT
      projects.project_name,
      asked.project_id,
      main.crawl_config_name,
      main.crawl_id,
      asked.url,
      pages.url_first_path,
      asked.engine,
      asked.crawler,
      known.purpose,
      CAST(asked.hits AS BIGINT) AS hits,
      asked.days,
      asked.first_date,
      asked.last_date,
      CAST(round(CAST(CAST(100 * asked.ok_hits AS DOUBLE) / asked.answered_hits AS DECIMAL(38, 9)), 1) AS DOUBLE) AS ok_percent,
      pages.status_code,
      pages.is_indexable,
      demand.clicks
    FROM asked
    LEFT JOIN known ON known.crawler = asked.crawler
    LEFT JOIN main ON main.project_id = asked.project_id
    LEFT JOIN mart.pages AS pages ON pages.crawl_id = main.crawl_id AND pages.url = asked.url
    LEFT JOIN mart.page_demand AS demand
      ON demand.project_id = asked.project_id
      AND demand.url = asked.url
      AND demand.crawl_id IS NOT DISTINCT FROM main.crawl_id
    LEFT JOIN mart.projects AS projects ON projects.project_id = asked.project_id
    WHERE ($project IS NULL OR asked.project_id = $project OR projects.project_name = $project)
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
  url,
  url_first_path,
  engine,
  crawler,
  purpose,
  hits,
  days,
  first_date,
  last_date,
  ok_percent,
  status_code,
  is_indexable,
  clicks
FROM (
  SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY hits DESC, url, crawler) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, project_id, hits DESC, url, crawler
