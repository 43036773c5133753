/*
title: Duplicate titles, H1s and descriptions, and clusters of near duplicates
model: mart.pages
description: >-
  Texts that several pages share, and clusters of similar pages (field: clusters, value: the cluster's identifier),
  and on how many of them the service finds the duplication unhandled by canonicals and hreflang (NULL where the
  export does not say). Pages with status 200 that declare no other page as canonical; white space does not tell texts
  apart. The main crawl of each project, or the crawl asked for. Similarity is that of a cluster; a segment is the
  first directory of the URL.
parameters: [project, crawl, segment, limit]
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
      pages.*
    FROM chosen
    JOIN mart.pages AS pages ON pages.crawl_id = chosen.crawl_id
    WHERE pages.status_code = 200
      AND NOT coalesce(pages.is_canonicalised, false)
      AND ($segment IS NULL OR pages.url_first_path = $segment)
  ),

  written AS (
    SELECT
      page.project_name,
      page.crawl_config_name,
      page.crawl_id,
      page.url,
      fields.field,
      CASE fields.field
        WHEN 'title' THEN CAST(page.title AS VARCHAR)
        WHEN 'h1' THEN CAST(page.h1 AS VARCHAR)
        ELSE CAST(page.meta_description AS VARCHAR)
      END AS value,
      CASE fields.field
        WHEN 'title' THEN page.has_duplicate_title_issue
        WHEN 'h1' THEN page.has_duplicate_h1_issue
        ELSE page.has_duplicate_description_issue
      END AS is_unhandled
    FROM page
    CROSS JOIN (VALUES ('title'), ('h1'), ('meta_description')) AS fields(field)
  ),

  spaced AS (
    SELECT
      project_name,
      crawl_config_name,
      crawl_id,
      url,
      field,
      replace(replace(replace(replace(value, chr(9), ' '), chr(10), ' '), chr(13), ' '), chr(160), ' ') AS value,
      is_unhandled
    FROM written
  ),

  -- Each space becomes a pair of two signs; pairs that touch lose the signs between them: one space is left of many.
  text AS (
    SELECT
      project_name,
      crawl_config_name,
      crawl_id,
      url,
      field,
      trim(
        replace(replace(replace(value, ' ', chr(1) || chr(2)), chr(2) || chr(1), ''), chr(1) || chr(2), ' ')
      ) AS value,
      is_unhandled
    FROM spaced

    UNION ALL
    SELECT DISTINCT
      page.project_name, page.crawl_config_name, page.crawl_id, page.url, 'clusters', cluster.id,
      page.has_nearduplicate_issue
    FROM page
    CROSS JOIN UNNEST(page.clusters) AS cluster(id)
  ),

  answer AS (
    SELECT
      text.project_name,
      text.crawl_config_name,
      text.crawl_id,
      text.field,
      text.value,
      count(DISTINCT text.url) AS pages,
      CASE
        WHEN count(text.is_unhandled) > 0 THEN count(CASE WHEN text.is_unhandled THEN 1 END)
      END AS unhandled_pages,
      max(clusters.average_similarity) AS similarity,
      min(text.url) AS sample_url
    FROM text
    LEFT JOIN mart.clusters AS clusters
      ON clusters.crawl_id = text.crawl_id
        AND clusters.cluster_id = CASE WHEN text.field = 'clusters' THEN text.value END
    WHERE text.value <> ''
    GROUP BY text.project_name, text.crawl_config_name, text.crawl_id, text.field, text.value
    HAVING count(DISTINCT text.url) > 1
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  field,
  value,
  pages,
  unhandled_pages,
  similarity,
  sample_url
FROM (
  SELECT *, row_number() OVER (PARTITION BY project_name, crawl_id ORDER BY field, pages DESC, value) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, field, pages DESC, value
