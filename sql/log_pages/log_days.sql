/*
name: mart.log_days
kind: view
description: >-
  Days of the log files of each project, with the source of their numbers. If the lines of a day are loaded, they are
  the source, because a line has its own status and user agent. Otherwise, the source is the service's counts of the
  day.
grain: [project_id, day]
columns:
  project_id: Identifier of the project.
  day: Day of the requests, in UTC.
  dataset: log_events if lines of the day are loaded, else log_pages_days.
reads:
  raw.log_events: &source
    _project_id: VARCHAR
    _window: VARCHAR
    day: DATE
  raw.log_pages_days: *source
*/
-- The names are preferred in alphabetical order.
SELECT project_id, day, min(dataset) AS dataset
FROM (
  SELECT DISTINCT _project_id AS project_id, coalesce(day, CAST(_window AS DATE)) AS day, 'log_events' AS dataset
  FROM raw.log_events
  UNION ALL
  SELECT DISTINCT _project_id, coalesce(day, CAST(_window AS DATE)), 'log_pages_days'
  FROM raw.log_pages_days
) AS loaded
WHERE day IS NOT NULL
GROUP BY project_id, day
