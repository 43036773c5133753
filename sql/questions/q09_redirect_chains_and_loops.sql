/*
title: Redirect chains and loops, and the links into them
task: Redirects and migrations
model: mart.pages
description: >-
  Each row is a page that redirects more than once or in a loop, with the internal links to it and up to ten linking pages.
  Links are NULL if the links of the crawl are not loaded. Covers the main crawl of each project, or the chosen crawl. Pages
  with the most links come first. A segment is a first directory or a segment of the project's own segmentations.
parameters: [project, crawl, segment, limit]
needs: [pages]
chart: {kind: bar, x: url, y: internal_links, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, has_links
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  chain AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      chosen.has_links,
      pages.crawl_id,
      pages.url,
      pages.redirect_count,
      pages.is_redirect_loop,
      pages.final_redirect_location,
      pages.final_redirect_status
    FROM chosen
    JOIN mart.pages AS pages ON pages.crawl_id = chosen.crawl_id
    WHERE (pages.redirect_count > 1 OR pages.is_redirect_loop OR pages.is_too_many_redirects)
      AND (
        $segment IS NULL
        OR $segment IN (pages.url_first_path, '(directory):' || pages.url_first_path)
        OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
      )
  ),

  by_origin AS (
    SELECT
      links.crawl_id,
      links.target,
      links.origin,
      count(*) AS links,
      row_number() OVER (PARTITION BY links.crawl_id, links.target ORDER BY links.origin) AS place
    FROM chain
    JOIN mart.links AS links ON links.crawl_id = chain.crawl_id AND links.target = chain.url
    WHERE links.is_internal
    GROUP BY links.crawl_id, links.target, links.origin
  ),

  linked AS (
    SELECT
      crawl_id,
      target,
      CAST(sum(links) AS BIGINT) AS internal_links,
      count(*) AS origin_pages,
      array_agg(origin ORDER BY origin) FILTER (WHERE place <= 10) AS origins
    FROM by_origin
    GROUP BY crawl_id, target
  ),

  answer AS (
    SELECT
      chain.*,
      CASE WHEN chain.has_links THEN coalesce(linked.internal_links, 0) END AS internal_links,
      CASE WHEN chain.has_links THEN coalesce(linked.origin_pages, 0) END AS origin_pages,
      CASE WHEN chain.has_links THEN coalesce(linked.origins, CAST(ARRAY[] AS VARCHAR[])) END AS origins
    FROM chain
    LEFT JOIN linked ON linked.crawl_id = chain.crawl_id AND linked.target = chain.url
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  url,
  redirect_count,
  is_redirect_loop,
  final_redirect_location,
  final_redirect_status,
  internal_links,
  origin_pages,
  origins
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY internal_links DESC, redirect_count DESC, url) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, internal_links DESC, redirect_count DESC, url
