/*
title: What to do first
model: mart.page_actions
description: >-
  Things to do on pages of the main crawl of each project, the most important first. Priority is 0 to 100: how much
  demand, bot hits and inrank the page has among the pages of its crawl, times the severity of the issue. A segment is
  the first directory of the URL.
parameters: {project: , crawl: , segment: , limit: 100}
*/
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
    crawls.project_name,
    crawls.crawl_config_name,
    actions.crawl_id,
    actions.priority,
    actions.issue,
    actions.severity,
    actions.url,
    actions.why,
    actions.fix,
    actions.clicks,
    actions.impressions,
    actions.search_bot_hits,
    actions.inrank_decimal,
    row_number() OVER (
      PARTITION BY crawls.project_id ORDER BY actions.crawl_id, actions.priority DESC, actions.url, actions.issue
    ) AS place
  FROM mart.page_actions AS actions
  JOIN mart.crawls AS crawls ON crawls.crawl_id = actions.crawl_id
  WHERE ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
    AND (($crawl IS NULL AND crawls.is_main) OR crawls.crawl_id = $crawl)
    AND ($segment IS NULL OR actions.url_first_path = $segment)
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, priority DESC, url, issue
