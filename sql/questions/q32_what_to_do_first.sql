/*
title: What to do first
task: What to do first
model: mart.page_issues
description: >-
  Each row is an issue of a page of the main crawl of each project, the most important first. Priority is 0 to 100. It
  compares the demand, bot hits and inrank of the page with the other pages of its crawl, and multiplies the result by the
  severity of the issue. Unknown values are left out. If all are unknown, priority is NULL and the row comes last. With
  equal priority, the more severe issue comes first. A segment is a first directory or a segment of the project's own
  segmentations.
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

  page AS (
    SELECT
      chosen.project_id, pages.crawl_id, pages.url, pages.page_value, pages.clicks, pages.impressions, pages.search_bot_hits,
      pages.inrank_decimal
    FROM mart.page_values AS pages
    JOIN chosen ON chosen.crawl_id = pages.crawl_id
    WHERE $segment IS NULL
      OR $segment IN (pages.url_first_path, '(directory):' || pages.url_first_path)
      OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
  ),

  -- Whatever other actions there are, as many actions as the limit have this priority or more: those of high severity
  -- alone.
  least AS (
    SELECT project_id, max(priority) AS priority
    FROM (
      SELECT project_id, priority, sum(count(*)) OVER (PARTITION BY project_id ORDER BY priority DESC NULLS LAST) AS actions
      FROM (
        SELECT
          page.project_id, CAST(round(CAST(page.page_value * issues.weight AS DECIMAL(38, 9))) AS INTEGER) AS priority
        FROM (
          SELECT crawl_id, project_id, url, issue
          FROM mart.page_issues
          WHERE issue IN (SELECT issue FROM mart.project_issues WHERE severity = 'high')
        ) AS found
        JOIN mart.project_issues AS issues ON issues.project_id = found.project_id AND issues.issue = found.issue
        JOIN page ON page.crawl_id = found.crawl_id AND page.url = found.url
        WHERE issues.severity = 'high'
      ) AS severe
      GROUP BY project_id, priority
    ) AS counted
    WHERE actions >= $limit
    GROUP BY project_id
  ),

  -- A page of less value, or of unknown value, has no action of that priority, so few findings are read.
  worthy AS (
    SELECT page.*
    FROM page
    LEFT JOIN least ON least.project_id = page.project_id
    WHERE $limit IS NULL OR least.priority IS NULL OR page.page_value >= least.priority - 1
  ),

  action AS (
    SELECT
      worthy.*,
      found.issue,
      found.why,
      issues.severity,
      issues.weight,
      issues.fix,
      CAST(round(CAST(worthy.page_value * issues.weight AS DECIMAL(38, 9))) AS INTEGER) AS priority
    FROM mart.page_issues AS found
    JOIN mart.project_issues AS issues ON issues.project_id = found.project_id AND issues.issue = found.issue
    JOIN worthy ON worthy.crawl_id = found.crawl_id AND worthy.url = found.url
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
      PARTITION BY action.project_id ORDER BY action.priority DESC NULLS LAST, action.weight DESC, action.url, action.issue
    ) AS place
  FROM action
  JOIN chosen ON chosen.crawl_id = action.crawl_id
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, priority DESC NULLS LAST, weight DESC, url, issue
