/*
name: mart.page_hits
kind: table
description: >-
  Requests that log files show for each URL of a project, added up over the days that go with a crawl: a day goes with
  the latest crawl of the project, of those whose pages are loaded, that ended before the day did. Days before the
  first crawl go with none. Days are those of UTC.
grain: [project_id, crawl_id, url]
columns:
  project_id: Identifier of the project.
  crawl_id: {description: Identifier of the crawl; NULL for the days before the first one., nullable: true}
  url: Full URL that was asked for (mart.log_url_days.url).
  from_day: First day with log files that goes with the crawl, for all its URLs the same.
  to_day: Last such day.
  days: Number of days on which the URL was asked for.
  hits: Number of requests for it, bots and people (mart.log_url_days.hits).
  bot_hits: Number of requests by bots (mart.log_url_days.bot_hits).
  seo_bot_hits: Of these, by bots that read pages for search results (mart.log_url_days.seo_bot_hits).
  visits: Number of requests by people (mart.log_url_days.visits).
  seo_visits: Of these, from the results of a search engine (mart.log_url_days.seo_visits).
  bytes_sent: Size of all answers in bytes (mart.log_url_days.bytes_sent).
  last_status_code: HTTP status of the last request on the last of its days (mart.log_url_days.last_status_code).
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
  # Lines of a day that the service has counted itself change nothing.
  pieces: |
    WITH part AS (
      SELECT DISTINCT 'counts' AS kind, _project_id AS project_id, coalesce(day, _window::DATE) AS day, _unit AS unit
      FROM raw.log_pages_days
      UNION ALL
      SELECT DISTINCT 'lines', _project_id, coalesce(day, _window::DATE), _unit
      FROM raw.log_events
    )
    SELECT days.project_id, days.crawl_id, days.day, loads.unit, loads.loaded_at
    FROM mart.crawl_days AS days
    JOIN (FROM part QUALIFY kind = min(kind) OVER (PARTITION BY project_id, day)) AS part USING (project_id, day)
    JOIN ops.loads AS loads ON loads.unit = part.unit
*/
SELECT
  days.project_id,
  days.crawl_id,
  pages.url,
  max(days.from_day) AS from_day,
  max(days.to_day) AS to_day,
  count(*) AS days,
  sum(pages.hits)::BIGINT AS hits,
  sum(pages.bot_hits)::BIGINT AS bot_hits,
  sum(pages.seo_bot_hits)::BIGINT AS seo_bot_hits,
  sum(pages.visits)::BIGINT AS visits,
  sum(pages.seo_visits)::BIGINT AS seo_visits,
  sum(pages.bytes_sent)::BIGINT AS bytes_sent,
  arg_max(pages.last_status_code, pages.day) AS last_status_code
FROM mart.log_url_days AS pages
JOIN mart.crawl_days AS days ON days.project_id = pages.project_id AND days.day = pages.day
WHERE pages.url IS NOT NULL
GROUP BY days.project_id, days.crawl_id, pages.url
