/*
name: mart.log_pages_weeks
kind: view
description: One row for each URL of a project and week with a request in the log files.
grain: {columns: [project_id, week_start_date, url], severity: warn}
columns:
  project_id: Identifier of the project (raw.log_pages_weeks._project_id).
  week: >-
    Week of the requests, YYYY-Www (raw.log_pages_weeks.week). Depending on the project, weeks begin on Monday (ISO) or
    Sunday. Week 1 contains the first Thursday of the year if weeks begin on Monday, or January 1 if weeks begin on
    Sunday.
  week_start_date: First day of that week, Monday or Sunday (raw.log_pages_weeks._window).
  url: Full URL of the request (raw.log_pages_weeks.url).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  urlpath: Path of that URL (raw.log_pages_weeks.urlpath).
  hits: Number of requests for the URL, by bots and people (raw.log_pages_weeks.hits).
  bot_hits: Number of requests by bots (raw.log_pages_weeks.bot_hits).
  seo_bot_hits: Number of requests by bots that read pages for search results (raw.log_pages_weeks.seo_bot_hits).
  sea_bot_hits: Number of requests by bots that check pages for search advertising (raw.log_pages_weeks.sea_bot_hits).
  vertical_bot_hits: Number of requests by bots for images, news and videos (raw.log_pages_weeks.vertical_bot_hits).
  visits: Number of requests by people (raw.log_pages_weeks.visits).
  seo_visits: Number of visits from search results (raw.log_pages_weeks.seo_visits).
  hits_2xx: Number of requests with an HTTP status of 200 to 299 (raw.log_pages_weeks.hits_2xx).
  hits_3xx: Number of requests with an HTTP status of 300 to 399 (raw.log_pages_weeks.hits_3xx).
  hits_4xx: Number of requests with an HTTP status of 400 to 499 (raw.log_pages_weeks.hits_4xx).
  hits_5xx: Number of requests with an HTTP status of 500 to 599 (raw.log_pages_weeks.hits_5xx).
  last_status_code: HTTP status of the last request (raw.log_pages_weeks.last_status_code).
  bytes_sent: Size of all responses in bytes (raw.log_pages_weeks.bytes_sent).
  is_crawled: Whether a bot that reads pages for search results requested the URL (raw.log_pages_weeks.is_crawled).
  is_active: Whether a person came to the URL from the results of a search engine (raw.log_pages_weeks.is_active).
  _load_id: >-
    Run and unit that loaded the row, separated by a space (raw.log_pages_weeks._run_id, raw.log_pages_weeks._unit).
    ops.tombstones contains it once the row is replaced or removed.
  _loaded_at: When the row was loaded (raw.log_pages_weeks._loaded_at).
renamed: {first_day: week_start_date}
reads:
  raw.log_pages_weeks:
    _project_id: VARCHAR
    _window: VARCHAR
    _unit: VARCHAR
    _run_id: VARCHAR
    _loaded_at: TIMESTAMP WITH TIME ZONE
    week: VARCHAR
    url: VARCHAR
    urlpath: VARCHAR
    hits: BIGINT
    bot_hits: BIGINT
    seo_bot_hits: BIGINT
    sea_bot_hits: BIGINT
    vertical_bot_hits: BIGINT
    visits: BIGINT
    seo_visits: BIGINT
    hits_2xx: BIGINT
    hits_3xx: BIGINT
    hits_4xx: BIGINT
    hits_5xx: BIGINT
    last_status_code: BIGINT
    bytes_sent: BIGINT
    is_crawled: BOOLEAN
    is_active: BOOLEAN
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    window_from: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: [project_id, week_start_date]
  partitions: |
    SELECT source_id AS project_id, CAST(window_from AS DATE) AS week_start_date, loaded_at
    FROM ops.loads
    WHERE dataset = 'log_pages_weeks'
tests:
  - name: the week has the name that its first day gives it
    query: |
      WITH named AS (
        SELECT
          *,
          date_diff('day', CAST(date_trunc('week', week_start_date) AS DATE), week_start_date) AS days_after_monday,
          CAST(week_start_date + INTERVAL '3' DAY AS DATE) AS thursday,
          CAST(week_start_date + INTERVAL '6' DAY AS DATE) AS saturday
        FROM mart.log_pages_weeks
      ), counted AS (
        SELECT
          *,
          CASE days_after_monday WHEN 0 THEN extract(YEAR FROM thursday) ELSE extract(YEAR FROM saturday) END AS year_number,
          CASE days_after_monday
            WHEN 0 THEN extract(WEEK FROM week_start_date)
            ELSE 1 + CAST(floor(CAST(date_diff('day', CAST(date_trunc('year', saturday) AS DATE), saturday) AS DOUBLE) / 7) AS BIGINT)
          END AS week_number
        FROM named
      )
      SELECT * FROM counted
      WHERE days_after_monday NOT IN (0, 6)
        OR week <> CAST(year_number AS VARCHAR) || CASE WHEN week_number < 10 THEN '-W0' ELSE '-W' END
          || CAST(week_number AS VARCHAR)
    severity: warn
*/
SELECT
  _project_id AS project_id,
  week,
  CAST(_window AS DATE) AS week_start_date,
  url,
  _project_id || ' ' || url AS url_key,
  urlpath,

  hits,
  bot_hits,
  seo_bot_hits,
  sea_bot_hits,
  vertical_bot_hits,
  visits,
  seo_visits,

  hits_2xx,
  hits_3xx,
  hits_4xx,
  hits_5xx,
  last_status_code,
  bytes_sent,

  is_crawled,
  is_active,

  _run_id || ' ' || _unit AS _load_id,
  _loaded_at
FROM raw.log_pages_weeks
