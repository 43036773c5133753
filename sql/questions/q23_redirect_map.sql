/*
title: "Redirect map: where each redirect leads, hop by hop, and who links to it"
task: Redirects and migrations
model: mart.redirect_map
description: >-
  Each row is one hop of a redirecting page of the main crawl of each project. Pages with the most internal links come
  first. The finding is loop, cut (more than sixteen hops), dead_end (the chain does not end with 200), chain (more than one
  hop), single, or unknown (the status at the end is unknown). The limit counts hops.
parameters: [project, crawl, limit]
needs: [pages]
chart: none
*/
SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  finding,
  url,
  hop,
  hop_url,
  hop_status_code,
  hop_target,
  hops,
  final_url,
  final_status_code,
  internal_links,
  linking_pages,
  sample_origin
FROM (
  SELECT
    crawls.project_name,
    crawls.crawl_config_name,
    redirects.crawl_id,
    CASE
      WHEN redirects.is_loop THEN 'loop'
      WHEN redirects.is_cut THEN 'cut'
      WHEN redirects.final_status_code IS NULL THEN 'unknown'
      WHEN redirects.final_status_code <> 200 THEN 'dead_end'
      WHEN redirects.hops > 1 THEN 'chain'
      ELSE 'single'
    END AS finding,
    redirects.url,
    redirects.hop,
    redirects.hop_url,
    redirects.hop_status_code,
    redirects.hop_target,
    redirects.hops,
    redirects.final_url,
    redirects.final_status_code,
    redirects.internal_links,
    redirects.linking_pages,
    redirects.sample_origin,
    row_number() OVER (
      PARTITION BY crawls.project_id
      ORDER BY redirects.internal_links DESC, redirects.url, redirects.hop
    ) AS place
  FROM mart.redirect_map AS redirects
  JOIN mart.crawls AS crawls ON crawls.crawl_id = redirects.crawl_id
  WHERE ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
    AND (($crawl IS NULL AND crawls.is_main) OR crawls.crawl_id = $crawl)
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, internal_links DESC, url, hop
