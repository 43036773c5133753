/*
title: "Indexability funnel: known, fetched, 200, indexable, canonical"
task: Indexability
model: mart.pages
description: >-
  Each row is a crawl, the latest first. Each step counts pages that passed the previous step. Indexable pages either
  declare themselves as canonical, or have no canonical. A step is NULL if the crawl's export lacks the field for it,
  and 0 if no page passed. A segment is a first directory or a segment of the project's own segmentations. The chart
  leaves out crawls that are not in trends, such as a stopped crawl.
parameters: [project, crawl, segment, limit]
needs: [pages]
chart:
  kind: funnel
  y: [known, fetched, answered_200, indexable, canonical]
  each: [project_name, crawl_config_name]
  only: is_in_trends
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, ended_at, is_in_trends
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL OR crawl_id = $crawl)
  ),

  fields AS (
    SELECT
      crawl_id,
      count(CASE WHEN column_name = 'fetched' THEN 1 END) > 0 AS has_fetched,
      count(CASE WHEN column_name = 'status_code' THEN 1 END) > 0 AS has_status,
      count(CASE WHEN column_name = 'is_indexable' AND part IN ('status', 'service') THEN 1 END) > 0 AS has_indexable,
      count(CASE WHEN column_name = 'canonical_kind' THEN 1 END) > 0 AS has_canonical
    FROM mart.crawl_columns
    WHERE dataset = 'crawl_pages'
    GROUP BY crawl_id
  ),

  passed AS (
    SELECT
      pages.crawl_id,
      coalesce(pages.fetched, NOT fields.has_fetched) AS is_fetched,
      coalesce(pages.status_code = 200, NOT fields.has_status) AS is_answered,
      coalesce(pages.is_indexable, NOT fields.has_indexable) AS is_indexable,
      coalesce(pages.canonical_kind, 'not_set') AS canonical_kind
    FROM chosen
    JOIN mart.pages AS pages ON pages.crawl_id = chosen.crawl_id
    LEFT JOIN fields ON fields.crawl_id = chosen.crawl_id
    WHERE $segment IS NULL
      OR $segment IN (pages.url_first_path, '(directory):' || pages.url_first_path)
      OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
  ),

  counted AS (
    SELECT
      crawl_id,
      count(*) AS known,
      count(CASE WHEN is_fetched THEN 1 END) AS fetched,
      count(CASE WHEN is_fetched AND is_answered THEN 1 END) AS answered_200,
      count(CASE WHEN is_fetched AND is_answered AND is_indexable THEN 1 END) AS indexable,
      count(CASE WHEN is_fetched AND is_answered AND is_indexable AND canonical_kind = 'self' THEN 1 END) AS canonical,
      count(
        CASE WHEN is_fetched AND is_answered AND is_indexable AND canonical_kind = 'not_set' THEN 1 END
      ) AS canonical_not_set
    FROM passed
    GROUP BY crawl_id
  ),

  answer AS (
    SELECT
      chosen.project_id,
      chosen.project_name,
      chosen.crawl_config_name,
      chosen.ended_at,
      chosen.is_in_trends,
      counted.crawl_id,
      counted.known,
      CASE WHEN fields.has_fetched THEN counted.fetched END AS fetched,
      CASE WHEN fields.has_status THEN counted.answered_200 END AS answered_200,
      CASE WHEN fields.has_indexable THEN counted.indexable END AS indexable,
      CASE WHEN fields.has_canonical THEN counted.canonical END AS canonical,
      CASE WHEN fields.has_canonical THEN counted.canonical_not_set END AS canonical_not_set
    FROM counted
    JOIN chosen ON chosen.crawl_id = counted.crawl_id
    LEFT JOIN fields ON fields.crawl_id = counted.crawl_id
  )

SELECT
  project_name,
  crawl_config_name,
  ended_at,
  crawl_id,
  is_in_trends,
  known,
  fetched,
  answered_200,
  indexable,
  canonical,
  canonical_not_set
FROM (
  SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY ended_at DESC, crawl_id DESC) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, ended_at DESC, crawl_id DESC
