/*
title: Orphan pages, and orphans that earn clicks
task: Links
model: mart.orphans
description: >-
  Each row is a URL that no link of the site's structure leads to, with the reason. The start page is not an orphan
  (docs/definitions.md). Covers the main crawl of each project, or the chosen crawl. URLs that respond (state live) come
  first, then URLs with an unknown state, then the others, each sorted by clicks on the days of the crawl. Clicks are
  NULL if search results did not show the URL. A URL that appears only in log files or search results has the state,
  status and indexability that the crawl found at its end, or those of its last request. Such a URL has no other fields
  and no segment. A segment is a first directory or a segment of the project's own segmentations.
parameters: [project, crawl, segment, limit]
needs: [pages]
chart: {kind: bar, x: reason, each: [project_name, crawl_id]}
*/
WITH
  answer AS (
    SELECT
      crawls.project_name,
      crawls.crawl_config_name,
      orphans.crawl_id,
      orphans.url,
      orphans.reason,
      orphans.sources,
      orphans.state,
      CASE WHEN orphans.state = 'live' THEN 0 WHEN orphans.state IS NULL THEN 1 ELSE 2 END AS state_place,
      orphans.status_code,
      orphans.is_indexable,
      orphans.depth,
      orphans.nb_inlinks,
      demand.clicks,
      demand.impressions,
      demand.top_query
    FROM mart.orphans AS orphans
    JOIN mart.crawls AS crawls ON crawls.crawl_id = orphans.crawl_id
    LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = orphans.crawl_id AND demand.url = orphans.url
    WHERE ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
      AND ($crawl IS NULL AND crawls.is_main OR crawls.crawl_id = $crawl)
      AND (
        $segment IS NULL
        OR $segment IN (orphans.url_first_path, '(directory):' || orphans.url_first_path)
        OR orphans.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
      )
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  url,
  reason,
  sources,
  state,
  status_code,
  is_indexable,
  depth,
  nb_inlinks,
  clicks,
  impressions,
  top_query
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY state_place, clicks DESC NULLS LAST, url) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, state_place, clicks DESC NULLS LAST, url
