/*
title: Internal links to pages that redirect to a 404, with their anchors
task: Links
model: mart.links
description: >-
  Each row is a redirecting page and an anchor text, with up to ten linking pages. Covers the main crawl of each
  project, or the chosen crawl. A redirect is recognized by its status, or by the range of its status. Rows with the
  most links come first. The limit counts rows. The chosen segment is a first directory or a segment of the project's
  own segmentations, and applies to the redirecting page.
parameters: [project, crawl, segment, limit]
needs: [links]
chart: {kind: bar, x: target, y: links, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, previous_crawl_id
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  by_origin AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      links.crawl_id,
      links.target,
      pages.final_redirect_location,
      links.anchor,
      links.origin,
      count(*) AS links,
      row_number() OVER (PARTITION BY links.crawl_id, links.target, links.anchor ORDER BY links.origin) AS place
    FROM chosen
    JOIN mart.links AS links ON links.crawl_id = chosen.crawl_id
    JOIN mart.pages AS pages ON pages.crawl_id = links.crawl_id AND pages.url = links.target
    WHERE links.is_internal
      AND pages.status_code_range = 'redirect'
      AND pages.final_redirect_status = 404
      AND (
        $segment IS NULL
        OR $segment IN (pages.url_first_path, '(directory):' || pages.url_first_path)
        OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
      )
    GROUP BY
      chosen.project_name, chosen.crawl_config_name, links.crawl_id, links.target, pages.final_redirect_location,
      links.anchor, links.origin
  ),

  answer AS (
    SELECT
      project_name,
      crawl_config_name,
      crawl_id,
      target,
      final_redirect_location,
      anchor,
      CAST(sum(links) AS BIGINT) AS links,
      count(*) AS origin_pages,
      array_agg(origin ORDER BY origin) FILTER (WHERE place <= 10) AS origins
    FROM by_origin
    GROUP BY project_name, crawl_config_name, crawl_id, target, final_redirect_location, anchor
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  target,
  final_redirect_location,
  anchor,
  links,
  origin_pages,
  origins
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY links DESC, target, anchor) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, links DESC, target, anchor
