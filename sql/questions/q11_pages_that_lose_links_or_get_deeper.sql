/*
title: Important pages that lose internal links or get deeper
task: What changed
model: mart.pages
description: >-
  Each row is a page that is gone, moved (moved_to) or missing (reason), left the structure (it had a depth and now has
  none), is deeper, or has fewer inlinks. If several findings apply, the first in this order counts. The last three
  require a crawl that read all links. Compares the main crawl of each project, or the chosen crawl, with the previous
  crawl. Pages with the highest previous inrank come first, 100 per project by default. A segment is a first directory
  or a segment of the project's own segmentations.
parameters: {project: null, crawl: null, segment: null, limit: 100}
needs: [crawl_before]
chart: {kind: bar, x: finding, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, previous_crawl_id, has_all_links
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  later AS (
    SELECT
      pages.crawl_id,
      pages.url,
      pages.inrank_decimal,
      pages.nb_inlinks,
      pages.depth,
      count(pages.depth) OVER (PARTITION BY pages.crawl_id) AS pages_with_depth
    FROM chosen
    JOIN mart.pages AS pages ON pages.crawl_id = chosen.crawl_id
  ),

  compared AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      chosen.crawl_id,
      earlier.url,
      CASE
        WHEN page.comparison = 'gone' THEN 'gone'
        WHEN page.comparison IN ('moved', 'merged') THEN 'moved'
        WHEN later.url IS NULL THEN 'missing'
        WHEN NOT chosen.has_all_links THEN NULL
        WHEN earlier.depth IS NOT NULL AND later.depth IS NULL AND later.pages_with_depth > 0 THEN 'left the structure'
        WHEN later.depth > earlier.depth THEN 'deeper'
        WHEN later.nb_inlinks < earlier.nb_inlinks THEN 'fewer inlinks'
      END AS finding,
      CASE WHEN page.comparison = 'missing' AND later.url IS NULL THEN page.reason END AS reason,
      page.moved_to,
      earlier.inrank_decimal AS inrank_before,
      later.inrank_decimal AS inrank,
      earlier.nb_inlinks AS nb_inlinks_before,
      later.nb_inlinks,
      earlier.depth AS depth_before,
      later.depth,
      earlier.nb_inlinks - later.nb_inlinks AS lost_inlinks
    FROM chosen
    JOIN mart.pages AS earlier ON earlier.crawl_id = chosen.previous_crawl_id
    LEFT JOIN later ON later.crawl_id = chosen.crawl_id AND later.url = earlier.url
    LEFT JOIN mart.page_comparison AS page ON page.crawl_id = chosen.crawl_id AND page.url = earlier.url
    WHERE $segment IS NULL
      OR $segment IN (earlier.url_first_path, '(directory):' || earlier.url_first_path)
      OR earlier.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
  ),

  answer AS (
    SELECT *
    FROM compared
    WHERE finding IS NOT NULL
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  url,
  finding,
  reason,
  moved_to,
  inrank_before,
  inrank,
  nb_inlinks_before,
  nb_inlinks,
  depth_before,
  depth
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY inrank_before DESC NULLS LAST, lost_inlinks DESC NULLS LAST, url) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, inrank_before DESC NULLS LAST, lost_inlinks DESC NULLS LAST, url
