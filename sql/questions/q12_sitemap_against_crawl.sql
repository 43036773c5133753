/*
title: Pages in the sitemap but not crawled or not indexable, and crawled pages not in the sitemap
task: Indexability
model: mart.pages
description: >-
  Each row is a page that is only in the sitemap or only in the crawl, or that is in the sitemap and not indexable.
  Covers the main crawl of each project, or the chosen crawl, if it found a sitemap. Crawled means fetched. Pages
  missing from the sitemap are listed only if they are indexable and the crawl read all of its sitemaps. For a page in
  the sitemap, the problem is that the server refused it, that it could not be read, or the first reason why it is not
  indexable. A segment is a first directory or a segment of the project's own segmentations.
parameters: [project, crawl, segment, limit]
needs: [sitemaps]
chart: {kind: bar, x: finding, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, previous_crawl_id, has_all_sitemaps
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  page AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      coalesce(chosen.has_all_sitemaps, true) AS has_all_sitemaps,
      pages.*,
      coalesce(array_length(pages.sitemaps_file_origin), 0) > 0 AS is_listed,
      count(CASE WHEN array_length(pages.sitemaps_file_origin) > 0 THEN 1 END)
        OVER (PARTITION BY pages.crawl_id) AS listed_pages
    FROM chosen
    JOIN mart.pages AS pages ON pages.crawl_id = chosen.crawl_id
  ),

  found AS (
    SELECT
      project_name,
      crawl_config_name,
      crawl_id,
      CASE
        WHEN is_listed AND NOT fetched THEN 'in the sitemap, not crawled'
        WHEN is_listed AND observation IN ('refused', 'unreadable') THEN 'in the sitemap, not read'
        WHEN is_listed AND NOT is_indexable THEN 'in the sitemap, not indexable'
        WHEN NOT is_listed AND fetched AND is_indexable AND has_all_sitemaps THEN 'crawled, not in the sitemap'
      END AS finding,
      url,
      CASE WHEN observation IN ('refused', 'unreadable') THEN observation_reason ELSE non_indexable_reason END AS problem,
      status_code,
      sitemaps_file_origin,
      depth,
      nb_inlinks
    FROM page
    WHERE listed_pages > 0
      AND (
        $segment IS NULL
        OR $segment IN (url_first_path, '(directory):' || url_first_path)
        OR page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
      )
  ),

  answer AS (
    SELECT *
    FROM found
    WHERE finding IS NOT NULL
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  finding,
  url,
  problem,
  status_code,
  sitemaps_file_origin,
  depth,
  nb_inlinks
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY finding, url) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, finding, url
