/*
name: mart.page_hits
kind: table
description: >-
  Requests in log files for each URL of a project, added up over the days of a crawl (mart.crawl_days). Days are in UTC.
  A total is NULL if it is unknown on one of the days. Do not add up totals of several crawls, because a day may belong
  to more than one.
grain: [project_id, crawl_id, url]
columns:
  project_id: Identifier of the project.
  crawl_id: {description: Identifier of the crawl; NULL in a project that has no crawl with pages., nullable: true}
  url: Full URL of the request (mart.log_url_days.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  from_date: First of the days that belong to the crawl, the same for all its URLs (mart.crawl_days.from_date).
  to_date: Last of these days.
  days: Number of days on which the URL was requested.
  hits: Number of requests for the URL, by bots and people (mart.log_url_days.hits).
  bot_hits: Number of requests by bots (mart.log_url_days.bot_hits).
  search_bot_hits: Number of requests of search engine bots (mart.log_url_days.search_bot_hits).
  google_bot_hits: Number of requests by Google's bots (mart.log_url_days.google_bot_hits).
  bing_bot_hits: Number of requests by Bing's bots (mart.log_url_days.bing_bot_hits).
  ai_bot_hits: Number of requests by bots of AI services (mart.log_url_days.ai_bot_hits).
  unverified_bot_hits: >-
    Number of requests in the name of a bot whose claim the address refutes (mart.log_url_days.unverified_bot_hits).
  seo_bot_hits: >-
    Number of requests, as the service counts them, by bots that read pages for search results
    (mart.log_url_days.seo_bot_hits).
  visits: Number of requests by people (mart.log_url_days.visits).
  seo_visits: Number of visits from search results (mart.log_url_days.seo_visits).
  assistant_visits: Number of visits from AI assistants (mart.log_url_days.assistant_visits).
  hits_2xx: Number of requests with an HTTP status of 200 to 299 (mart.log_url_days.hits_2xx).
  hits_3xx: Number of requests with an HTTP status of 300 to 399 (mart.log_url_days.hits_3xx).
  hits_4xx: Number of requests with an HTTP status of 400 to 499 (mart.log_url_days.hits_4xx).
  hits_5xx: Number of requests with an HTTP status of 500 to 599 (mart.log_url_days.hits_5xx).
  bytes_sent: Size of all responses in bytes (mart.log_url_days.bytes_sent).
  first_search_bot_date: First of these days on which a search engine bot is known to have requested it.
  first_seo_visit_date: >-
    First of these days on which a person is known to have come to it from the results of a search engine.
  last_status_code: HTTP status of the last request on the last of its days (mart.log_url_days.last_status_code).
renamed:
  from_day: from_date
  to_day: to_date
  first_search_bot_day: first_search_bot_date
  first_seo_visit_day: first_seo_visit_date
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
  by: [project_id, crawl_id]
  within: {mart.log_url_days: [project_id, day]}
  # Counts of a day whose lines are loaded change nothing.
  partitions: |
    WITH part AS (
      SELECT DISTINCT 'log_events' AS dataset, _project_id AS project_id, coalesce(day, CAST(_window AS DATE)) AS day, _unit
      FROM raw.log_events
      UNION ALL
      SELECT DISTINCT 'log_pages_days', _project_id, coalesce(day, CAST(_window AS DATE)), _unit
      FROM raw.log_pages_days
    )
    SELECT days.project_id, days.crawl_id, days.data_date AS day, loads.unit, loads.loaded_at
    FROM mart.crawl_days AS days
    JOIN part ON part.project_id = days.project_id AND part.day = days.data_date AND part.dataset = days.dataset
    JOIN ops.loads AS loads ON loads.unit = part._unit
    WHERE days.kind = 'logs'
*/
SELECT
  days.project_id,
  days.crawl_id,
  pages.url,
  days.crawl_id || ' ' || pages.url AS page_key,
  days.project_id || ' ' || pages.url AS url_key,
  max(days.from_date) AS from_date,
  max(days.to_date) AS to_date,
  count(*) AS days,
  CASE WHEN count(pages.hits) = count(*) THEN CAST(sum(pages.hits) AS BIGINT) END AS hits,
  CASE WHEN count(pages.bot_hits) = count(*) THEN CAST(sum(pages.bot_hits) AS BIGINT) END AS bot_hits,
  CASE WHEN count(pages.search_bot_hits) = count(*) THEN CAST(sum(pages.search_bot_hits) AS BIGINT) END AS search_bot_hits,
  CASE WHEN count(pages.google_bot_hits) = count(*) THEN CAST(sum(pages.google_bot_hits) AS BIGINT) END AS google_bot_hits,
  CASE WHEN count(pages.bing_bot_hits) = count(*) THEN CAST(sum(pages.bing_bot_hits) AS BIGINT) END AS bing_bot_hits,
  CASE WHEN count(pages.ai_bot_hits) = count(*) THEN CAST(sum(pages.ai_bot_hits) AS BIGINT) END AS ai_bot_hits,
  CASE WHEN count(pages.unverified_bot_hits) = count(*) THEN CAST(sum(pages.unverified_bot_hits) AS BIGINT) END
    AS unverified_bot_hits,
  CASE WHEN count(pages.seo_bot_hits) = count(*) THEN CAST(sum(pages.seo_bot_hits) AS BIGINT) END AS seo_bot_hits,
  CASE WHEN count(pages.visits) = count(*) THEN CAST(sum(pages.visits) AS BIGINT) END AS visits,
  CASE WHEN count(pages.seo_visits) = count(*) THEN CAST(sum(pages.seo_visits) AS BIGINT) END AS seo_visits,
  CASE WHEN count(pages.assistant_visits) = count(*) THEN CAST(sum(pages.assistant_visits) AS BIGINT) END
    AS assistant_visits,
  CASE WHEN count(pages.hits_2xx) = count(*) THEN CAST(sum(pages.hits_2xx) AS BIGINT) END AS hits_2xx,
  CASE WHEN count(pages.hits_3xx) = count(*) THEN CAST(sum(pages.hits_3xx) AS BIGINT) END AS hits_3xx,
  CASE WHEN count(pages.hits_4xx) = count(*) THEN CAST(sum(pages.hits_4xx) AS BIGINT) END AS hits_4xx,
  CASE WHEN count(pages.hits_5xx) = count(*) THEN CAST(sum(pages.hits_5xx) AS BIGINT) END AS hits_5xx,
  CASE WHEN count(pages.bytes_sent) = count(*) THEN CAST(sum(pages.bytes_sent) AS BIGINT) END AS bytes_sent,
  min(CASE WHEN pages.search_bot_hits > 0 THEN pages.day END) AS first_search_bot_date,
  min(CASE WHEN pages.seo_visits > 0 THEN pages.day END) AS first_seo_visit_date,
  max_by(pages.last_status_code, pages.day) FILTER (WHERE pages.last_status_code IS NOT NULL) AS last_status_code
FROM mart.log_url_days AS pages
JOIN mart.crawl_days AS days
  ON days.project_id = pages.project_id AND days.data_date = pages.day AND days.kind = 'logs'
WHERE pages.url IS NOT NULL
GROUP BY days.project_id, days.crawl_id, pages.url
