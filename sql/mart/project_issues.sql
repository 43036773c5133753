/*
name: mart.project_issues
kind: view
description: >-
  The issues that are enabled in each project with loaded data, according to `issues` in crawlhouse.yaml. An issue that
  is switched off for a project has no row.
grain: [project_id, issue]
columns:
  project_id: Identifier of the project.
  issue: Name of the issue (mart.issues.issue).
  severity: How much the issue matters on any page of the project, high, medium or low.
  weight: The severity as a factor of the priority, 1 for high, 0.6 for medium and 0.3 for low.
  definition: When a page of the project has the issue, with the project's own thresholds.
  title: Title of the issue (mart.issues.title).
  category: Subject of the issue (mart.issues.category).
  source: Web page that documents the issue (mart.issues.source).
  why_it_matters: How the issue affects people or search engines (mart.issues.why_it_matters).
  fix: How to fix the issue (mart.issues.fix).
  owner: Who can fix the issue, content, template or server (mart.issues.owner).
  is_by_days: Whether the issue depends on hits or demand, which belong to days (mart.issues.is_by_days).
renamed: {mended_by: owner}
reads:
  ops.loads:
    project_id: VARCHAR
*/
WITH
  project AS (
    SELECT loads.project_id, projects.project_name
    FROM (SELECT DISTINCT project_id FROM ops.loads WHERE project_id IS NOT NULL) AS loads
    LEFT JOIN mart.projects AS projects ON projects.project_id = loads.project_id
  ),

  -- The first of the project's own settings, else the settings of all projects.
  chosen AS (
    SELECT project.project_id, coalesce(min(own.number), 0) AS number
    FROM project
    LEFT JOIN issues.projects AS own ON own.project = project.project_id OR own.project = project.project_name
    GROUP BY project.project_id
  )

SELECT
  chosen.project_id,
  settings.issue,
  settings.severity,
  settings.weight,
  settings.definition,
  issues.title,
  issues.category,
  issues.source,
  issues.why_it_matters,
  issues.fix,
  issues.owner,
  issues.is_by_days
FROM chosen
JOIN issues.settings AS settings ON settings.number = chosen.number
JOIN mart.issues AS issues ON issues.issue = settings.issue
