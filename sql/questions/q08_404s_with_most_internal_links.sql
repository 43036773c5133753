/*
title: 404s with the most internal links, and the pages that link to them
task: Links
model: mart.links_to_broken_pages
description: >-
  Each row is a page that links to a 404. Lists the 404s with the most internal links of the main crawl of each project, or
  of the chosen crawl.
parameters:
  project: null
  crawl: null
  targets: {type: BIGINT, default: 20, description: Maximum number of 404s per project.}
  limit: null
needs: [links]
chart: {kind: bar, x: target, y: links_on_page, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_name, crawl_config_name
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  ranked AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      broken.crawl_id,
      broken.target,
      broken.internal_links,
      row_number() OVER (
        PARTITION BY broken.crawl_id ORDER BY broken.internal_links DESC, broken.target
      ) AS place
    FROM chosen
    JOIN mart.links_to_broken_pages AS broken ON broken.crawl_id = chosen.crawl_id
    WHERE broken.target_status = 404
  ),

  -- Only the links to these pages are read below.
  found AS (
    SELECT *
    FROM ranked
    WHERE place <= $targets
  ),

  page AS (
    SELECT found.crawl_id, found.target, pages.status_code
    FROM found
    JOIN mart.pages AS pages ON pages.crawl_id = found.crawl_id AND pages.url = found.target
  ),

  answer AS (
    SELECT
      found.project_name,
      found.crawl_config_name,
      found.crawl_id,
      found.target,
      found.internal_links,
      links.origin,
      count(*) AS links_on_page,
      coalesce(
        array_agg(DISTINCT links.anchor ORDER BY links.anchor) FILTER (WHERE links.anchor IS NOT NULL),
        CAST(ARRAY[] AS VARCHAR[])
      ) AS anchors
    FROM found
    JOIN mart.links AS links ON links.crawl_id = found.crawl_id AND links.target = found.target
    LEFT JOIN page ON page.crawl_id = found.crawl_id AND page.target = found.target
    WHERE links.is_internal AND coalesce(links.target_status, page.status_code) = 404
    GROUP BY
      found.project_name, found.crawl_config_name, found.crawl_id, found.target, found.internal_links, links.origin
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  target,
  internal_links,
  origin,
  links_on_page,
  anchors
FROM (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY crawl_id ORDER BY internal_links DESC, target, links_on_page DESC, origin
    ) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, internal_links DESC, target, links_on_page DESC, origin
