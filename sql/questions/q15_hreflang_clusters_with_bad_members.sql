/*
title: Hreflang clusters with missing or non-indexable language versions
task: Indexability
model: mart.pages
description: >-
  Each row is a cluster of language versions that has non-indexable members, declared versions that the crawl does not
  know (missing), or errors that the service reports. Covers the main crawl of each project, or the chosen crawl.
  Clusters with the most such members come first. A number is NULL if the value is unknown for all members.
parameters: [project, crawl, limit]
needs: [hreflangs]
chart: none
*/
WITH
  chosen AS (
    SELECT crawl_id, project_id, project_name, crawl_config_name, previous_crawl_id
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  member AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      pages.*
    FROM chosen
    JOIN mart.pages AS pages ON pages.crawl_id = chosen.crawl_id
    WHERE pages.hreflang_cluster_id IS NOT NULL
  ),

  missing AS (
    SELECT
      declared.crawl_id,
      declared.hreflang_cluster_id,
      count(*) AS missing,
      array_agg(declared.url ORDER BY declared.url) AS missing_urls
    FROM (
      SELECT DISTINCT member.crawl_id, member.hreflang_cluster_id, version.url
      FROM member
      CROSS JOIN UNNEST(member.hreflang_hrefs) AS version(url)
    ) AS declared
    WHERE declared.url IS NOT NULL
      AND NOT EXISTS (
        SELECT 1 FROM mart.pages AS pages WHERE pages.crawl_id = declared.crawl_id AND pages.url = declared.url
      )
    GROUP BY declared.crawl_id, declared.hreflang_cluster_id
  ),

  error AS (
    SELECT
      member.crawl_id,
      member.hreflang_cluster_id,
      array_agg(DISTINCT error.name ORDER BY error.name) AS errors
    FROM member
    CROSS JOIN UNNEST(member.hreflang_errors) AS error(name)
    WHERE error.name IS NOT NULL
    GROUP BY member.crawl_id, member.hreflang_cluster_id
  ),

  cluster AS (
    SELECT
      project_name,
      crawl_config_name,
      crawl_id,
      hreflang_cluster_id,
      count(*) AS members,
      array_agg(DISTINCT language ORDER BY language) FILTER (WHERE language IS NOT NULL) AS languages,
      CAST(sum(CAST(NOT is_indexable AS INTEGER)) AS BIGINT) AS not_indexable,
      CAST(sum(CAST(is_noindex AS INTEGER)) AS BIGINT) AS noindex,
      count(hreflang_hrefs) AS declaring,
      array_agg(url ORDER BY url) FILTER (WHERE is_indexable = false) AS not_indexable_urls
    FROM member
    GROUP BY project_name, crawl_config_name, crawl_id, hreflang_cluster_id
  ),

  answer AS (
    SELECT
      cluster.project_name,
      cluster.crawl_config_name,
      cluster.crawl_id,
      cluster.hreflang_cluster_id,
      cluster.members,
      coalesce(cluster.languages, CAST(ARRAY[] AS VARCHAR[])) AS languages,
      cluster.not_indexable,
      cluster.noindex,
      coalesce(cluster.not_indexable_urls, CAST(ARRAY[] AS VARCHAR[])) AS not_indexable_urls,
      CASE WHEN cluster.declaring > 0 THEN coalesce(missing.missing, 0) END AS missing,
      coalesce(missing.missing_urls, CAST(ARRAY[] AS VARCHAR[])) AS missing_urls,
      coalesce(error.errors, CAST(ARRAY[] AS VARCHAR[])) AS hreflang_errors
    FROM cluster
    LEFT JOIN missing
      ON missing.crawl_id = cluster.crawl_id AND missing.hreflang_cluster_id = cluster.hreflang_cluster_id
    LEFT JOIN error ON error.crawl_id = cluster.crawl_id AND error.hreflang_cluster_id = cluster.hreflang_cluster_id
    WHERE cluster.not_indexable > 0 OR missing.missing > 0 OR error.errors IS NOT NULL
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  hreflang_cluster_id,
  members,
  languages,
  not_indexable,
  noindex,
  not_indexable_urls,
  missing,
  missing_urls,
  hreflang_errors
FROM (
  SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY not_indexable DESC NULLS LAST, missing DESC NULLS LAST, hreflang_cluster_id) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, not_indexable DESC NULLS LAST, missing DESC NULLS LAST, hreflang_cluster_id
