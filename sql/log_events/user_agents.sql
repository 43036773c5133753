/*
name: mart.user_agents
kind: table
description: >-
  User agents of known crawlers (mart.bots) in the log files, one row for each project, day and user agent. A user agent
  without the token of a known crawler has no row.
grain: [project_id, day, user_agent]
columns:
  project_id: Identifier of the project (raw.log_events._project_id).
  day: Day of the requests (raw.log_events.day, else the window in which they were loaded).
  user_agent: >-
    User agent of the requests (raw.log_events.user_agent), or if it is missing, the service's name of the bot
    (raw.log_events.bot).
  crawler: >-
    Name of the crawler whose token the user agent contains; of several tokens, the longest counts (mart.bots.crawler).
  bot_class: Purpose of the crawler (mart.bots.bot_class).
  engine: Search engine, AI service or tool that the crawler belongs to (mart.bots.engine).
  purpose: Why the crawler reads the site (mart.bots.purpose).
reads:
  raw.log_events:
    _unit: VARCHAR
    _project_id: VARCHAR
    _window: VARCHAR
    day: DATE
    user_agent: VARCHAR
    bot: VARCHAR
  ops.loads:
    unit: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: [project_id, day]
  partitions: |
    SELECT DISTINCT
      events._project_id AS project_id,
      coalesce(events.day, CAST(events._window AS DATE)) AS day,
      loads.unit,
      loads.loaded_at
    FROM raw.log_events AS events
    JOIN ops.loads AS loads ON loads.unit = events._unit
*/
WITH
  agent AS (
    SELECT DISTINCT
      _project_id AS project_id,
      coalesce(day, CAST(_window AS DATE)) AS day,
      coalesce(user_agent, bot) AS user_agent
    FROM raw.log_events
  ),

  known AS (
    SELECT
      agent.project_id,
      agent.day,
      agent.user_agent,
      bots.crawler,
      bots.bot_class,
      bots.engine,
      bots.purpose,
      row_number() OVER (
        PARTITION BY agent.project_id, agent.day, agent.user_agent ORDER BY length(bots.token) DESC, bots.token
      ) AS place
    FROM agent
    JOIN mart.bots AS bots
      ON coalesce(bots.found_in, 'user_agent') <> 'robots_txt'
      AND strpos(lower(agent.user_agent), lower(bots.token)) > 0
  )

SELECT project_id, day, user_agent, crawler, bot_class, engine, purpose
FROM known
WHERE place = 1
