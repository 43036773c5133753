/*
name: mart.log_events
kind: view
description: >-
  Lines of the log files of a project, in the format of the service. There is no grain, because two requests may have
  the same line.
grain: null
columns:
  project_id: {description: Identifier of the project (raw.log_events._project_id)., tests: [not_null]}
  day: {description: 'Day of the request (raw.log_events.day, else the window in which it was loaded).', tests: [not_null]}
  event_date: When the server received the request, a point in time (raw.log_events.event_date).
  url: Full URL of the request (raw.log_events.url).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  urlpath: Path of that URL (raw.log_events.urlpath).
  url_host: Host of that URL (raw.log_events.url_host).
  url_first_path: First directory of that URL, or / (raw.log_events.url_first_path).
  url_has_params: Whether that URL has a query string (raw.log_events.url_has_params).
  method: HTTP method, such as GET (raw.log_events.method).
  status_code: HTTP status of the response (raw.log_events.status_code).
  status_code_range: ok, redirect, client_error or server_error (raw.log_events.status_code_range).
  bytes_sent: Size of the response in bytes (raw.log_events.bytes_sent).
  referer: URL of the referring page, as sent (raw.log_events.referer).
  user_agent: User agent of the request (raw.log_events.user_agent).
  device: desktop or mobile (raw.log_events.device).
  is_bot: Whether a bot sent the request (raw.log_events.is_bot); true also where bot_verification is refuted.
  bot: Name of the bot (raw.log_events.bot).
  bot_kind: >-
    Purpose of a search engine's bot: seo, sea or vertical (raw.log_events.bot_kind).
  search_engine: Search engine that the bot belongs to, such as google (raw.log_events.search_engine).
  is_seo_visit: Whether a person came from the results of a search engine (raw.log_events.is_seo_visit).
  assistant: >-
    AI assistant that a person came from, according to the host of the referrer, else to utm_source in the URL
    (mart.assistants.assistant). NULL for bots, for visits from search results, and if no assistant is known.
  bot_verification: >-
    Whether the bot is the one that its user agent claims, according to the address of the request
    (raw.log_events.bot_verification): verified, refuted or unchecked. NULL if no bot was recognized or the service does
    not report it.
  crawler: >-
    Name of the known crawler whose token the user agent contains (mart.user_agents.crawler), else the service's name of
    the bot.
  bot_class: >-
    Purpose of the bot. For a known crawler: search, ai, seo_tool, ads or other (mart.user_agents.bot_class). For
    another bot, by its kind: search for seo and vertical, ads for sea, else other. unverified if bot_verification is
    refuted, because someone else sent the request in the crawler's name. none if the user agent or is_bot shows no bot;
    NULL if a line has neither.
  engine: >-
    Search engine, AI service or tool that the crawler belongs to (mart.user_agents.engine); for a bot that is not a
    known crawler, the service's search_engine. NULL if bot_class is unverified.
  _load_id: >-
    Run and unit that loaded the row, separated by a space (raw.log_events._run_id, raw.log_events._unit).
    ops.tombstones contains it once the row is replaced or removed.
  _loaded_at: When the row was loaded (raw.log_events._loaded_at).
reads:
  raw.log_events:
    _project_id: VARCHAR
    _window: VARCHAR
    _unit: VARCHAR
    _run_id: VARCHAR
    _loaded_at: TIMESTAMP WITH TIME ZONE
    day: DATE
    event_date: TIMESTAMP WITH TIME ZONE
    url: VARCHAR
    urlpath: VARCHAR
    url_host: VARCHAR
    url_first_path: VARCHAR
    url_has_params: BOOLEAN
    method: VARCHAR
    status_code: BIGINT
    status_code_range: VARCHAR
    bytes_sent: BIGINT
    referer: VARCHAR
    user_agent: VARCHAR
    device: VARCHAR
    is_bot: BOOLEAN
    bot: VARCHAR
    bot_kind: VARCHAR
    search_engine: VARCHAR
    is_seo_visit: BOOLEAN
    bot_verification: VARCHAR
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    window_from: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: [project_id, day]
  partitions: |
    SELECT source_id AS project_id, CAST(window_from AS DATE) AS day, loaded_at
    FROM ops.loads
    WHERE dataset = 'log_events'
tests:
  - name: the day is the one it was asked for by
    query: SELECT * FROM raw.log_events WHERE CAST(day AS VARCHAR) <> _window
    severity: warn
*/
SELECT
  events._project_id AS project_id,
  coalesce(events.day, CAST(events._window AS DATE)) AS day,
  events.event_date,

  events.url,
  events._project_id || ' ' || events.url AS url_key,
  events.urlpath,
  events.url_host,
  events.url_first_path,
  events.url_has_params,

  events.method,
  events.status_code,
  events.status_code_range,
  events.bytes_sent,
  events.referer,
  events.user_agent,
  events.device,

  CASE WHEN events.bot_verification = 'refuted' THEN true ELSE events.is_bot END AS is_bot,
  events.bot,
  events.bot_kind,
  events.search_engine,
  events.is_seo_visit,
  CASE
    WHEN NOT events.is_bot
      AND NOT coalesce(events.is_seo_visit, false)
      AND coalesce(events.bot_verification, '') <> 'refuted'
      AND agents.bot_class IS NULL
      THEN coalesce(referrers.assistant, sources.assistant)
  END AS assistant,
  events.bot_verification,

  coalesce(agents.crawler, CASE WHEN events.is_bot THEN events.bot END) AS crawler,
  CASE
    WHEN events.bot_verification = 'refuted' THEN 'unverified'
    WHEN agents.bot_class IS NOT NULL THEN agents.bot_class
    WHEN events.is_bot AND events.bot_kind IN ('seo', 'vertical') THEN 'search'
    WHEN events.is_bot AND events.bot_kind = 'sea' THEN 'ads'
    WHEN events.is_bot THEN 'other'
    WHEN NOT events.is_bot OR events.user_agent IS NOT NULL THEN 'none'
  END AS bot_class,
  CASE
    WHEN events.bot_verification = 'refuted' THEN CAST(NULL AS VARCHAR)
    WHEN agents.bot_class IS NOT NULL THEN agents.engine
    WHEN events.is_bot THEN events.search_engine
  END AS engine,

  events._run_id || ' ' || events._unit AS _load_id,
  events._loaded_at
FROM raw.log_events AS events
LEFT JOIN mart.user_agents AS agents
  ON agents.project_id = events._project_id
  AND agents.day = coalesce(events.day, CAST(events._window AS DATE))
  AND agents.user_agent = coalesce(events.user_agent, events.bot)
LEFT JOIN mart.assistants AS referrers
  -- The authority of a URL may begin with a name and a password, which may look like a host.
  ON referrers.source = split_part(regexp_replace(lower(split_part(events.referer, '/', 3)), '^([^?#]*@)?(www\.)?', ''), ':', 1)
LEFT JOIN mart.assistants AS sources
  ON sources.source = lower(
    split_part(split_part(regexp_replace(split_part(events.url, '#', 1), '^[^?]*[?]?', '&'), '&utm_source=', 2), '&', 1)
  )
