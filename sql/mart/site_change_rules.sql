/*
name: mart.site_change_rules
kind: table
description: >-
  The crawls in which crawlhouse looks for changes of a website (mart.site_changes), and the thresholds of the changes
  setting for their project. One row for each crawl and enabled change. Only a project's main crawl has rows for clicks.
grain: [crawl_id, change]
columns:
  crawl_id: Identifier of the crawl.
  previous_crawl_id: {description: Identifier of the crawl that this crawl is compared with (mart.crawls.previous_crawl_id)., nullable: true}
  project_id: Identifier of their project.
  crawl_config_id: {description: Identifier of their configuration., nullable: true}
  crawl_number: Number of the crawl in the order of its configuration's crawls (mart.crawls.crawl_number).
  ended_at: When the crawl ended, a point in time.
  change: The change (mart.site_changes.change).
  least: Minimum number of pages, or of clicks for the change clicks, for an incident.
  least_percent: Minimum percentage for an incident.
*/
WITH
  chosen AS (
    SELECT projects.project_id, coalesce(min(own.number), 0) AS number
    FROM (
      SELECT crawls.project_id, max(crawls.project_name) AS project_name
      FROM mart.crawls AS crawls
      WHERE crawls.project_id IS NOT NULL
      GROUP BY crawls.project_id
    ) AS projects
    LEFT JOIN settings.change_projects AS own
      ON own.project = projects.project_id OR own.project = projects.project_name
    GROUP BY projects.project_id
  ),

  rule AS (
    SELECT chosen.project_id, rules.change, rules.least, rules.least_percent, rules.days
    FROM chosen
    JOIN settings.changes AS rules ON rules.number = chosen.number
    WHERE rules.is_on
  ),

  compared AS (
    SELECT
      crawls.crawl_id,
      crawls.previous_crawl_id,
      crawls.project_id,
      crawls.crawl_config_id,
      crawls.crawl_number,
      crawls.ended_at,
      crawls.is_main,
      max(CASE WHEN crawls.previous_crawl_id IS NOT NULL THEN crawls.ended_at END)
        OVER (PARTITION BY crawls.project_id, crawls.crawl_config_id) AS newest_at
    FROM mart.crawls AS crawls
    WHERE crawls.previous_crawl_id IS NOT NULL OR crawls.is_main
  ),

  kept AS (
    SELECT project_id, max(days) AS days
    FROM rule
    GROUP BY project_id
  )

SELECT
  compared.crawl_id,
  compared.previous_crawl_id,
  compared.project_id,
  compared.crawl_config_id,
  compared.crawl_number,
  compared.ended_at,
  rule.change,
  rule.least,
  rule.least_percent
FROM compared
JOIN rule ON rule.project_id = compared.project_id
JOIN kept ON kept.project_id = compared.project_id
WHERE CASE
  WHEN rule.change = 'clicks' THEN compared.is_main
  -- An older change that nobody has undone counts as intended.
  ELSE compared.previous_crawl_id IS NOT NULL
    AND date_diff('millisecond', compared.ended_at, compared.newest_at) <= 86400000 * CAST(kept.days AS BIGINT)
END
