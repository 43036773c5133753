/*
name: mart.bot_hits
kind: table
description: >-
  Requests of bots in log files, one row for each project, day, URL, crawler and HTTP status. If the lines of a day are
  loaded, each line counts with its own crawler and status. If only the service's counts are loaded, its search bots are
  one row without crawler, engine and status.
grain: [project_id, day, url, bot_class, crawler, engine, status_code]
columns:
  project_id: Identifier of the project.
  day: Day of the requests (mart.log_days.day).
  url: Full URL of the request.
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  dataset: Source of the row, log_events or log_pages_days.
  bot_class: >-
    Purpose of the crawler: search, ai, seo_tool, ads or other; unverified if the address refutes the claimed crawler
    (mart.log_events.bot_class).
  crawler:
    description: >-
      Name of the crawler (mart.log_events.crawler), for an unverified crawler, the claimed name; NULL if it is unknown.
    nullable: true
  engine: {description: 'Search engine, AI service or tool that the crawler belongs to (mart.log_events.engine); NULL if it is unknown.', nullable: true}
  status_code: {description: HTTP status of the responses (mart.log_events.status_code)., nullable: true}
  status_class: >-
    ok (200 to 299, and 304), redirect (300 to 399 except 304), error (any other); NULL if it is unknown. The counts of
    a day show the class only if all requests for the URL on that day, including people's, had statuses of one class
    (2xx, 3xx, 4xx or 5xx). A 3xx then is ok if the last status of the day is 304.
  hits: Number of these requests.
  hits_2xx: >-
    Number of requests for the URL on that day with an HTTP status of 200 to 299, including people's, according to the
    service's counts; NULL if the lines show these numbers per bot.
  hits_3xx: As hits_2xx, for 300 to 399.
  hits_4xx: As hits_2xx, for 400 to 499.
  hits_5xx: As hits_2xx, for 500 to 599.
reads:
  raw.log_pages_days: &source
    _unit: VARCHAR
    _project_id: VARCHAR
    _window: VARCHAR
    day: DATE
  raw.log_events: *source
  ops.loads:
    unit: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: [project_id, day]
  within: [mart.log_events, mart.log_pages_days, mart.log_days]
  partitions: |
    WITH part AS (
      SELECT DISTINCT 'log_events' AS dataset, _project_id AS project_id, coalesce(day, CAST(_window AS DATE)) AS day, _unit
      FROM raw.log_events
      UNION ALL
      SELECT DISTINCT 'log_pages_days', _project_id, coalesce(day, CAST(_window AS DATE)), _unit
      FROM raw.log_pages_days
    )
    SELECT part.project_id, part.day, loads.unit, loads.loaded_at
    FROM part
    JOIN mart.log_days AS days
      ON days.project_id = part.project_id AND days.day = part.day AND days.dataset = part.dataset
    JOIN ops.loads AS loads ON loads.unit = part._unit
*/
WITH
  counted AS (
    SELECT
      pages.project_id,
      pages.day,
      pages.url,
      sum(pages.seo_bot_hits + pages.vertical_bot_hits) AS search_bot_hits,
      sum(pages.hits) AS hits,
      sum(pages.hits_2xx) AS hits_2xx,
      sum(pages.hits_3xx) AS hits_3xx,
      sum(pages.hits_4xx) AS hits_4xx,
      sum(pages.hits_5xx) AS hits_5xx,
      max(pages.last_status_code) AS last_status_code
    FROM mart.log_pages_days AS pages
    JOIN mart.log_days AS days
      ON days.project_id = pages.project_id AND days.day = pages.day AND days.dataset = 'log_pages_days'
    WHERE pages.url IS NOT NULL
    GROUP BY pages.project_id, pages.day, pages.url
  )

SELECT
  project_id,
  day,
  url,
  project_id || ' ' || url AS url_key,
  'log_events' AS dataset,
  bot_class,
  crawler,
  engine,
  status_code,
  CASE
    WHEN status_code BETWEEN 200 AND 299 OR status_code = 304 THEN 'ok'
    WHEN status_code BETWEEN 300 AND 399 THEN 'redirect'
    WHEN status_code IS NOT NULL THEN 'error'
  END AS status_class,
  count(*) AS hits,
  CAST(NULL AS BIGINT) AS hits_2xx,
  CAST(NULL AS BIGINT) AS hits_3xx,
  CAST(NULL AS BIGINT) AS hits_4xx,
  CAST(NULL AS BIGINT) AS hits_5xx
FROM mart.log_events
WHERE url IS NOT NULL AND bot_class <> 'none'
GROUP BY project_id, day, url, bot_class, crawler, engine, status_code

UNION ALL
SELECT
  project_id,
  day,
  url,
  project_id || ' ' || url,
  'log_pages_days',
  'search',
  CAST(NULL AS VARCHAR),
  CAST(NULL AS VARCHAR),
  CAST(NULL AS BIGINT),
  CASE
    WHEN hits_2xx = hits THEN 'ok'
    WHEN hits_3xx = hits AND last_status_code = 304 THEN 'ok'
    WHEN hits_3xx = hits THEN 'redirect'
    WHEN hits_4xx = hits OR hits_5xx = hits THEN 'error'
  END,
  CAST(search_bot_hits AS BIGINT),
  CAST(hits_2xx AS BIGINT),
  CAST(hits_3xx AS BIGINT),
  CAST(hits_4xx AS BIGINT),
  CAST(hits_5xx AS BIGINT)
FROM counted
WHERE search_bot_hits > 0
