/*
title: What to do first
model: mart.page_actions
description: >-
  Things to do on pages of the main crawl of each project, the most important first. Priority is 0 to 100: how much
  demand, bot hits and inrank the page has among the pages of its crawl, times the severity of the issue. A segment is
  a first directory or one of the project's own segmentations.
parameters: {project: , crawl: , segment: , limit: 100}
needs: [pages]
chart: {kind: bar, x: issue, colour: severity, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND (($crawl IS NULL AND is_main) OR crawl_id = $crawl)
  ),

  action AS (
    SELECT crawl_id, priority, issue, severity, url, why, fix, clicks, impressions, search_bot_hits, inrank_decimal
    FROM mart.page_actions
    WHERE crawl_id IN (SELECT crawl_id FROM chosen)
      AND (
        $segment IS NULL
        OR url_first_path = $segment
        OR page_key IN (SELECT page_key FROM mart.page_segments WHERE segment = $segment)
      )
  ),

  -- How many actions come before those of a priority: what lies beyond the limit is not put in order.
  step AS (
    SELECT
      action.crawl_id,
      action.priority,
      sum(count(*)) OVER (PARTITION BY chosen.project_id ORDER BY action.priority DESC)
        - count(*) AS earlier
    FROM action
    JOIN chosen ON chosen.crawl_id = action.crawl_id
    GROUP BY chosen.project_id, action.crawl_id, action.priority
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  priority,
  issue,
  severity,
  url,
  why,
  fix,
  clicks,
  impressions,
  search_bot_hits,
  inrank_decimal
FROM (
  SELECT
    chosen.project_name,
    chosen.crawl_config_name,
    action.*,
    row_number() OVER (
      PARTITION BY chosen.project_id ORDER BY action.priority DESC, action.url, action.issue
    ) AS place
  FROM action
  JOIN step ON step.crawl_id = action.crawl_id AND step.priority = action.priority
  JOIN chosen ON chosen.crawl_id = action.crawl_id
  WHERE $limit IS NULL OR step.earlier < $limit
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, priority DESC, url, issue
