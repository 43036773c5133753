/*
title: Canonicals to non-indexable pages
task: Indexability
model: mart.pages
description: >-
  Each row is a page with a canonical to another page that is not indexable, with the problem. The problem is the first
  reason why the target is not indexable, not_fetched if its status is unknown, or not_in_crawl if the target is on the
  same host but unknown to the crawl. Covers the main crawl of each project, or the chosen crawl. A segment is a first
  directory or a segment of the project's own segmentations.
parameters: [project, crawl, segment, limit]
needs: [pages]
chart: {kind: bar, x: problem, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, previous_crawl_id
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  page AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      pages.crawl_id,
      pages.url,
      pages.rel_canonical,
      pages.canonical_url,
      pages.canonical_kind
    FROM chosen
    JOIN mart.pages AS pages ON pages.crawl_id = chosen.crawl_id
    WHERE pages.is_canonicalised
      AND coalesce(pages.status_code, 200) = 200
      AND pages.canonical_url <> pages.url
      AND (
        $segment IS NULL
        OR $segment IN (pages.url_first_path, '(directory):' || pages.url_first_path)
        OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
      )
  ),

  judged AS (
    SELECT
      page.project_name,
      page.crawl_config_name,
      page.crawl_id,
      page.url,
      page.rel_canonical,
      page.canonical_kind,
      CASE
        WHEN target.non_indexable_reason IS NOT NULL THEN target.non_indexable_reason
        WHEN target.url IS NOT NULL AND target.is_indexable IS NULL THEN 'not_fetched'
        WHEN target.url IS NULL
          AND lower(split_part(page.url, '/', 3)) = split_part(page.canonical_url, '/', 3) THEN 'not_in_crawl'
      END AS problem,
      target.status_code AS canonical_status_code,
      target.redirect_location AS canonical_redirect_location
    FROM page
    LEFT JOIN mart.pages AS target
      ON target.crawl_id = page.crawl_id AND target.url = page.canonical_url
  ),

  answer AS (
    SELECT *
    FROM judged
    WHERE problem IS NOT NULL
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  url,
  rel_canonical,
  canonical_kind,
  problem,
  canonical_status_code,
  canonical_redirect_location
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY rel_canonical, url) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, rel_canonical, url
