/*
title: Pages that became non-indexable since the previous crawl
task: Indexability
model: mart.pages
description: >-
  Each row is a page that was indexable in the previous crawl and is not indexable now, with the deciding value in both
  crawls. Covers the main crawl of each project, or the chosen crawl. A page counts if both crawls read it, or if
  robots.txt blocks it now. A page that was refused, did not respond or returned a server error counts as missing
  instead (q06_page_changes). A reason counts only if the exports of both crawls contain a field for it. A segment is a
  first directory or a segment of the project's own segmentations.
parameters: [project, crawl, segment, limit]
needs: [crawl_before]
chart: {kind: bar, x: reason, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, previous_crawl_id
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  -- The columns that both exports contain.
  comparable AS (
    SELECT
      chosen.crawl_id,
      count(CASE WHEN told.part = 'status' THEN 1 END) = 2 AS status,
      count(CASE WHEN told.part = 'robots' THEN 1 END) = 2 AS robots,
      count(CASE WHEN told.part = 'meta_refresh_delay' THEN 1 END) = 2 AS refresh,
      count(CASE WHEN told.part = 'noindex' THEN 1 END) = 2 AS noindex,
      count(CASE WHEN told.part = 'canonical' THEN 1 END) = 2 AS canonical,
      count(CASE WHEN told.part = 'service' THEN 1 END) = 2 AS service
    FROM chosen
    JOIN mart.crawl_columns AS told
      ON told.dataset = 'crawl_pages'
        AND told.column_name IN ('non_indexable_reason', 'meta_refresh_delay')
        AND (told.crawl_id = chosen.crawl_id OR told.crawl_id = chosen.previous_crawl_id)
    GROUP BY chosen.crawl_id
  ),

  judged AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      later.crawl_id,
      later.url,
      CASE
        WHEN later.is_robots_denied AND comparable.robots THEN 'robots_denied'
        WHEN later.status_code IN (301, 302, 303, 307, 308) AND comparable.status THEN 'redirect'
        WHEN later.status_code BETWEEN 400 AND 499 AND comparable.status THEN 'client_error'
        WHEN later.status_code <> 200 AND comparable.status THEN 'other_status'
        -- By an immediate refresh to another URL.
        WHEN later.non_indexable_reason = 'redirect' AND coalesce(later.status_code, 200) = 200 AND comparable.refresh
          THEN 'redirect'
        WHEN later.is_noindex AND comparable.noindex THEN 'noindex'
        WHEN later.is_canonicalised AND comparable.canonical THEN 'canonicalised'
        WHEN later.non_indexable_reason = 'service' AND comparable.service THEN 'service'
      END AS reason,
      earlier.status_code AS status_code_before,
      later.status_code,
      earlier.is_noindex AS is_noindex_before,
      later.is_noindex,
      earlier.is_robots_denied AS is_robots_denied_before,
      later.is_robots_denied,
      earlier.canonical_url AS canonical_url_before,
      later.canonical_url
    FROM chosen
    JOIN comparable ON comparable.crawl_id = chosen.crawl_id
    JOIN mart.pages AS later ON later.crawl_id = chosen.crawl_id
    JOIN mart.pages AS earlier ON earlier.crawl_id = chosen.previous_crawl_id AND earlier.url = later.url
    WHERE earlier.is_indexable
      AND (coalesce(later.observation, 'read') IN ('read', 'gone') OR later.observation_reason = 'blocked_by_robots')
      AND (
        $segment IS NULL
        OR $segment IN (later.url_first_path, '(directory):' || later.url_first_path)
        OR later.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
      )
  ),

  answer AS (
    SELECT *
    FROM judged
    WHERE reason IS NOT NULL
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  url,
  reason,
  status_code_before,
  status_code,
  is_noindex_before,
  is_noindex,
  is_robots_denied_before,
  is_robots_denied,
  canonical_url_before,
  canonical_url
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY url) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, url
