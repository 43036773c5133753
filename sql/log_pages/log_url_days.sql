/*
name: mart.log_url_days
kind: view
description: >-
  One row for each URL of a project and day that log files show a request for: the service's own counts of the day
  (mart.log_pages_days), or, where a project has none for a day, the lines of its log files counted (mart.log_events).
  A number is NULL where what it counts is not known: the service sent none, or one of the lines does not say it.
grain: {columns: [project_id, day, url], severity: warn}
columns:
  project_id: Identifier of the project.
  day: Day of the requests.
  url: Full URL that was asked for.
  dataset: What the numbers are from, log_pages_days or log_events.
  hits: Number of requests for it, bots and people.
  bot_hits: Number of requests by bots; NULL where a line does not say whether it is one's (raw.log_events.is_bot).
  seo_bot_hits: >-
    Of these, by bots that read pages for search results. A line without a kind (raw.log_events.bot_kind) is none of
    theirs; NULL where the export of the day has no kinds at all.
  visits: Number of requests by people; NULL where a line does not say whether it is a bot's (raw.log_events.is_bot).
  seo_visits: >-
    Of these, from the results of a search engine; NULL where a line that may be a person's does not say it
    (raw.log_events.is_seo_visit).
  bytes_sent: Size of all answers in bytes; NULL where a line does not say it (raw.log_events.bytes_sent).
  last_status_code: HTTP status of the last request; of several lines of one moment, the highest.
reads:
  ops.unit_fields:
    unit: VARCHAR
    field: VARCHAR
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    window_from: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: [project_id, day]
  pieces: |
    SELECT source_id AS project_id, window_from::DATE AS day, dataset, loaded_at
    FROM ops.loads
    WHERE dataset IN ('log_pages_days', 'log_events')
*/
WITH
  line AS (
    SELECT *
    FROM mart.log_events
    ANTI JOIN mart.log_pages_days USING (project_id, day)
  ),

  counted AS (
    SELECT
      project_id,
      day,
      url,
      count(*) AS hits,
      count(*) FILTER (is_bot) AS bot_hits,
      count(*) FILTER (bot_kind = 'seo') AS seo_bot_hits,
      count(*) FILTER (NOT is_bot) AS visits,
      count(*) FILTER (is_seo_visit) AS seo_visits,
      sum(bytes_sent)::BIGINT AS bytes_sent,
      arg_max(status_code, epoch_ms(event_date) * 1000 + status_code) AS last_status_code,

      bool_and(is_bot IS NOT NULL) AS says_bots,
      bool_and(is_bot IS TRUE OR is_seo_visit IS NOT NULL) AS says_seo_visits,
      bool_and(bytes_sent IS NOT NULL) AS says_bytes
    FROM line
    GROUP BY project_id, day, url
  )

SELECT
  project_id,
  day,
  url,
  'log_pages_days' AS dataset,
  hits,
  bot_hits,
  seo_bot_hits,
  visits,
  seo_visits,
  bytes_sent,
  last_status_code
FROM mart.log_pages_days

UNION ALL
SELECT
  counted.project_id,
  counted.day,
  counted.url,
  'log_events',
  counted.hits,
  CASE WHEN counted.says_bots THEN counted.bot_hits END,
  CASE WHEN kinds.unit IS NOT NULL THEN counted.seo_bot_hits END,
  CASE WHEN counted.says_bots THEN counted.visits END,
  CASE WHEN counted.says_seo_visits THEN counted.seo_visits END,
  CASE WHEN counted.says_bytes THEN counted.bytes_sent END,
  counted.last_status_code
FROM counted
LEFT JOIN ops.unit_fields AS kinds
  ON kinds.unit = 'log_events/' || counted.project_id || '/' || counted.day AND kinds.field = 'bot_kind'
