/*
title: Duplicate titles, H1s and descriptions, and clusters of near duplicates
task: Content and templates
model: mart.pages
description: >-
  Each row is a text that several pages share, or a cluster of similar pages (field clusters, with the identifier in
  shared_value). The row shows the number of pages whose duplication neither a canonical nor hreflang handles, according
  to the service, or NULL if the export lacks this number. Counts pages with status 200 without a canonical to another
  page, and ignores differences in white space. Covers the main crawl of each project, or the chosen crawl. Texts on the
  most pages come first. Similarity applies to clusters. A segment is a first directory or a segment of the project's
  own segmentations.
parameters: [project, crawl, segment, limit]
needs: [pages]
chart: {kind: bar, x: field, y: pages, each: [project_name, crawl_id]}
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  page AS (
    SELECT
      crawl_id,
      url,
      title,
      h1,
      meta_description,
      clusters,
      has_duplicate_title_issue,
      has_duplicate_h1_issue,
      has_duplicate_description_issue,
      has_nearduplicate_issue
    FROM mart.pages
    WHERE crawl_id IN (SELECT crawl_id FROM chosen)
      AND status_code = 200
      AND NOT coalesce(is_canonicalised, false)
      AND (
        $segment IS NULL
        OR $segment IN (url_first_path, '(directory):' || url_first_path)
        OR page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
      )
  ),

  written AS (
    SELECT crawl_id, url, 'title' AS field, CAST(title AS VARCHAR) AS value, has_duplicate_title_issue AS is_unhandled
    FROM page

    UNION ALL
    SELECT crawl_id, url, 'h1' AS field, CAST(h1 AS VARCHAR) AS value, has_duplicate_h1_issue AS is_unhandled
    FROM page

    UNION ALL
    SELECT crawl_id, url, 'meta_description' AS field, CAST(meta_description AS VARCHAR) AS value, has_duplicate_description_issue AS is_unhandled
    FROM page
  ),

  spaced AS (
    SELECT
      crawl_id,
      url,
      field,
      trim(
        replace(replace(replace(replace(value, chr(9), ' '), chr(10), ' '), chr(13), ' '), chr(160), ' ')
      ) AS value,
      is_unhandled
    FROM written
  ),

  -- Each space becomes a pair of two signs. Adjacent pairs lose the signs between them, so several spaces become one.
  text AS (
    SELECT
      crawl_id,
      url,
      field,
      CASE
        WHEN value = '' THEN NULL
        WHEN strpos(value, '  ') = 0 THEN value
        ELSE replace(replace(replace(value, ' ', chr(1) || chr(2)), chr(2) || chr(1), ''), chr(1) || chr(2), ' ')
      END AS value,
      is_unhandled
    FROM spaced

    UNION ALL
    SELECT DISTINCT page.crawl_id, page.url, 'clusters', nullif(cluster.id, ''), page.has_nearduplicate_issue
    FROM (SELECT crawl_id, url, clusters, has_nearduplicate_issue FROM page WHERE array_length(clusters) > 0) AS page
    CROSS JOIN UNNEST(page.clusters) AS cluster(id)
  ),

  shared AS (
    SELECT
      crawl_id,
      field,
      value,
      count(value) AS pages,
      count(is_unhandled) AS judged_pages,
      count(CASE WHEN is_unhandled THEN 1 END) AS unhandled_pages,
      min(url) AS sample_url
    FROM text
    GROUP BY crawl_id, field, value
    HAVING count(value) > 1
  ),

  cluster AS (
    SELECT crawl_id, cluster_id, max(average_similarity) AS similarity
    FROM mart.clusters
    GROUP BY crawl_id, cluster_id
  ),

  answer AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      shared.crawl_id,
      shared.field,
      shared.value AS shared_value,
      shared.pages,
      CASE WHEN shared.judged_pages > 0 THEN shared.unhandled_pages END AS unhandled_pages,
      cluster.similarity,
      shared.sample_url
    FROM shared
    JOIN chosen ON chosen.crawl_id = shared.crawl_id
    LEFT JOIN cluster
      ON cluster.crawl_id = shared.crawl_id
        AND cluster.cluster_id = CASE WHEN shared.field = 'clusters' THEN shared.value END
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  field,
  shared_value,
  pages,
  unhandled_pages,
  similarity,
  sample_url
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY pages DESC, field, shared_value) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, pages DESC, field, shared_value
