/*
name: mart.log_url_days
kind: view
description: >-
  One row for each URL of a project and day with a request in the log files. The numbers are counts of the day's lines
  (mart.log_events) or, if the lines are not loaded, the service's own counts (mart.log_pages_days). A number is NULL if
  it is unknown, because the service sent none or a line does not have the value.
grain: {columns: [project_id, day, url], severity: warn}
columns:
  project_id: Identifier of the project.
  day: Day of the requests.
  url: Full URL of the request.
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  dataset: Source of the numbers, log_events or log_pages_days (mart.log_days.dataset).
  hits: Number of requests for the URL, by bots and people.
  bot_hits: Number of requests by bots; NULL if it is unknown for a line (mart.log_events.is_bot).
  search_bot_hits: >-
    Number of requests of search engine bots (mart.log_events.bot_class is search); for the service's counts,
    seo_bot_hits plus vertical_bot_hits. NULL if it is unknown for a line.
  google_bot_hits: >-
    Number of requests by Google's bots (mart.log_events.engine is google); NULL if one of the bots has no engine, and
    for the service's counts.
  bing_bot_hits: Number of requests by Bing's bots; NULL if google_bot_hits is NULL.
  ai_bot_hits: >-
    Number of requests by bots of AI services (mart.log_events.bot_class is ai); NULL if it is unknown for a line, and
    for the service's counts.
  unverified_bot_hits: >-
    Number of requests in the name of a bot whose claim the address refutes (mart.log_events.bot_class is unverified).
    bot_hits includes these requests; no other number does. NULL if the export of the day has no verifications at all
    (raw.log_events.bot_verification), and for the service's counts.
  seo_bot_hits: >-
    Number of requests, as the service counts them, by bots that read pages for search results, without refuted ones. A
    line without a kind (raw.log_events.bot_kind) does not count; NULL if the export of the day has no kinds at all.
  visits: Number of requests by people; NULL if it is unknown for a line (mart.log_events.is_bot).
  seo_visits: >-
    Number of visits from search results; NULL if it is unknown for a line that may be a person's
    (raw.log_events.is_seo_visit).
  assistant_visits: >-
    Number of visits from AI assistants (mart.log_events.assistant). NULL if it is unknown for a line that may be a
    person's, such as a line of a log without referrers, or if the export of the day has no referrers at all
    (raw.log_events.referer), and for the service's counts.
  hits_2xx: Number of requests with an HTTP status of 200 to 299; NULL if a line has no status.
  hits_3xx: Number of requests with a status of 300 to 399.
  hits_4xx: Number of requests with a status of 400 to 499.
  hits_5xx: Number of requests with a status of 500 to 599.
  bytes_sent: Size of all responses in bytes; NULL if it is unknown for a line (raw.log_events.bytes_sent).
  last_status_code: HTTP status of the last request; of several at the same moment, the highest.
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
  partitions: |
    SELECT source_id AS project_id, CAST(window_from AS DATE) AS day, dataset, loaded_at
    FROM ops.loads
    WHERE dataset IN ('log_pages_days', 'log_events')
*/
WITH counted AS (
  SELECT
    project_id,
    day,
    url,
    count(*) AS hits,
    count(CASE WHEN is_bot THEN 1 END) AS bot_hits,
    count(CASE WHEN bot_class = 'search' THEN 1 END) AS search_bot_hits,
    count(CASE WHEN bot_class = 'search' AND engine = 'google' THEN 1 END) AS google_bot_hits,
    count(CASE WHEN bot_class = 'search' AND engine = 'bing' THEN 1 END) AS bing_bot_hits,
    count(CASE WHEN bot_class = 'ai' THEN 1 END) AS ai_bot_hits,
    count(CASE WHEN bot_class = 'unverified' THEN 1 END) AS unverified_bot_hits,
    count(CASE WHEN bot_kind = 'seo' AND coalesce(bot_class, '') <> 'unverified' THEN 1 END) AS seo_bot_hits,
    count(CASE WHEN NOT is_bot THEN 1 END) AS visits,
    count(CASE WHEN is_seo_visit AND coalesce(bot_class, '') <> 'unverified' THEN 1 END) AS seo_visits,
    count(assistant) AS assistant_visits,
    count(CASE WHEN status_code BETWEEN 200 AND 299 THEN 1 END) AS hits_2xx,
    count(CASE WHEN status_code BETWEEN 300 AND 399 THEN 1 END) AS hits_3xx,
    count(CASE WHEN status_code BETWEEN 400 AND 499 THEN 1 END) AS hits_4xx,
    count(CASE WHEN status_code BETWEEN 500 AND 599 THEN 1 END) AS hits_5xx,
    CAST(sum(bytes_sent) AS BIGINT) AS bytes_sent,
    max_by(
      status_code,
      date_diff('millisecond', TIMESTAMPTZ '1970-01-01 00:00:00+00:00', event_date) * 1000 + status_code
    ) FILTER (WHERE status_code IS NOT NULL) AS last_status_code,

    bool_and(is_bot IS NOT NULL) AS says_bots,
    bool_and(bot_class IS NOT NULL) AS says_classes,
    bool_and(bot_class IS NOT NULL AND (bot_class <> 'search' OR engine IS NOT NULL)) AS says_engines,
    bool_and(coalesce(is_bot, false) OR is_seo_visit IS NOT NULL) AS says_seo_visits,
    bool_and(
      coalesce(is_bot, false) OR assistant IS NOT NULL OR (is_bot IS NOT NULL AND is_seo_visit IS NOT NULL)
    ) AS says_assistants,
    bool_and(status_code IS NOT NULL) AS says_statuses,
    bool_and(bytes_sent IS NOT NULL) AS says_bytes
  FROM mart.log_events
  GROUP BY project_id, day, url
)

SELECT
  counted.project_id,
  counted.day,
  counted.url,
  counted.project_id || ' ' || counted.url AS url_key,
  'log_events' AS dataset,
  counted.hits,
  CASE WHEN counted.says_bots THEN counted.bot_hits END AS bot_hits,
  CASE WHEN counted.says_classes THEN counted.search_bot_hits END AS search_bot_hits,
  CASE WHEN counted.says_engines THEN counted.google_bot_hits END AS google_bot_hits,
  CASE WHEN counted.says_engines THEN counted.bing_bot_hits END AS bing_bot_hits,
  CASE WHEN counted.says_classes THEN counted.ai_bot_hits END AS ai_bot_hits,
  CASE WHEN verifications.unit IS NOT NULL THEN counted.unverified_bot_hits END AS unverified_bot_hits,
  CASE WHEN kinds.unit IS NOT NULL THEN counted.seo_bot_hits END AS seo_bot_hits,
  CASE WHEN counted.says_bots THEN counted.visits END AS visits,
  CASE WHEN counted.says_seo_visits THEN counted.seo_visits END AS seo_visits,
  CASE WHEN referrers.unit IS NOT NULL AND counted.says_assistants THEN counted.assistant_visits END
    AS assistant_visits,
  CASE WHEN counted.says_statuses THEN counted.hits_2xx END AS hits_2xx,
  CASE WHEN counted.says_statuses THEN counted.hits_3xx END AS hits_3xx,
  CASE WHEN counted.says_statuses THEN counted.hits_4xx END AS hits_4xx,
  CASE WHEN counted.says_statuses THEN counted.hits_5xx END AS hits_5xx,
  CASE WHEN counted.says_bytes THEN counted.bytes_sent END AS bytes_sent,
  counted.last_status_code
FROM counted
LEFT JOIN ops.unit_fields AS kinds
  ON kinds.unit = 'log_events/' || counted.project_id || '/' || CAST(counted.day AS VARCHAR) AND kinds.field = 'bot_kind'
LEFT JOIN ops.unit_fields AS verifications
  ON verifications.unit = 'log_events/' || counted.project_id || '/' || CAST(counted.day AS VARCHAR)
  AND verifications.field = 'bot_verification'
LEFT JOIN ops.unit_fields AS referrers
  ON referrers.unit = 'log_events/' || counted.project_id || '/' || CAST(counted.day AS VARCHAR)
  AND referrers.field = 'referer'

UNION ALL
SELECT
  pages.project_id,
  pages.day,
  pages.url,
  pages.url_key,
  'log_pages_days',
  pages.hits,
  pages.bot_hits,
  pages.seo_bot_hits + pages.vertical_bot_hits,
  CAST(NULL AS BIGINT),
  CAST(NULL AS BIGINT),
  CAST(NULL AS BIGINT),
  CAST(NULL AS BIGINT),
  pages.seo_bot_hits,
  pages.visits,
  pages.seo_visits,
  CAST(NULL AS BIGINT),
  pages.hits_2xx,
  pages.hits_3xx,
  pages.hits_4xx,
  pages.hits_5xx,
  pages.bytes_sent,
  pages.last_status_code
FROM mart.log_pages_days AS pages
JOIN mart.log_days AS days
  ON days.project_id = pages.project_id AND days.day = pages.day AND days.dataset = 'log_pages_days'
