/*
title: Orphan pages, and orphans that earn clicks
model: mart.pages
description: >-
  Pages that no link of the site's structure leads to, and why; the start page is none (docs/definitions.md). The main
  crawl of each project, or the crawl asked for; those with the most clicks of the last 28 days first, NULL where
  search results did not show the page. URLs that only search results know have no fields of a page; a segment is the
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

  candidate AS (
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      pages.*,
      projects.start_url,
      count(pages.depth) OVER (PARTITION BY pages.crawl_id) AS pages_with_depth
    FROM chosen
    JOIN mart.pages AS pages ON pages.crawl_id = chosen.crawl_id
    LEFT JOIN mart.projects AS projects ON projects.project_id = chosen.project_id
  ),

  orphan AS (
    SELECT
      project_name,
      crawl_config_name,
      project_id,
      crawl_id,
      url,
      CASE
        WHEN nb_inlinks = 0 THEN 'no_inlinks'
        WHEN nb_inlinks > 0 THEN 'linked_by_orphans_only'
        ELSE 'not_reached'
      END AS reason,
      sources,
      status_code,
      is_indexable,
      depth,
      nb_inlinks
    FROM candidate
    WHERE (nb_inlinks = 0 OR depth IS NULL AND pages_with_depth > 0)
      AND coalesce(depth, 1) > 0
      AND (start_url IS NULL OR url NOT IN (start_url, start_url || '/'))
      AND (sources IS NULL OR lower(array_to_string(sources, ',')) NOT LIKE '%crawler%')
      AND ($segment IS NULL OR url_first_path = $segment)

    UNION ALL
    SELECT
      chosen.project_name,
      chosen.crawl_config_name,
      chosen.project_id,
      chosen.crawl_id,
      demand.url,
      'only_in_search_results',
      NULL,
      NULL,
      NULL,
      NULL,
      NULL
    FROM chosen
    JOIN mart.page_demand AS demand ON demand.project_id = chosen.project_id
    WHERE demand.impressions > 0
      AND $segment IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM mart.pages AS pages WHERE pages.crawl_id = chosen.crawl_id AND pages.url = demand.url
      )
  ),

  answer AS (
    SELECT
      orphan.*,
      demand.clicks,
      demand.impressions,
      demand.top_query
    FROM orphan
    LEFT JOIN mart.page_demand AS demand ON demand.project_id = orphan.project_id AND demand.url = orphan.url
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  url,
  reason,
  sources,
  status_code,
  is_indexable,
  depth,
  nb_inlinks,
  clicks,
  impressions,
  top_query
FROM (
  SELECT *, row_number() OVER (PARTITION BY project_name, crawl_id ORDER BY clicks DESC NULLS LAST, url) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, clicks DESC NULLS LAST, url
