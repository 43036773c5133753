/*
name: mart.projects
kind: view
description: >-
  One row for each project, as the service lists it now. A project that the service no longer lists keeps its last
  record.
grain: [project_id]
columns:
  project_id: Identifier of the project (raw.projects.id).
  project_name: Name of the project (raw.projects.name).
  start_url: URL that the project's crawls begin with (raw.projects.start_url).
  is_listed: Whether the service still lists the project.
reads:
  raw.projects:
    id: VARCHAR
    name: VARCHAR
    start_url: VARCHAR
    _seen_to: TIMESTAMP WITH TIME ZONE
    _loaded_at: TIMESTAMP WITH TIME ZONE
*/
SELECT
  project_id,
  project_name,
  start_url,
  is_listed
FROM (
  SELECT
    id AS project_id,
    name AS project_name,
    start_url,
    _seen_to IS NULL AS is_listed,
    -- The present record, or else the last one. Two workspaces may list the same project.
    row_number() OVER (PARTITION BY id ORDER BY _seen_to DESC NULLS FIRST, _loaded_at DESC) AS place
  FROM raw.projects
) AS ranked
WHERE place = 1
