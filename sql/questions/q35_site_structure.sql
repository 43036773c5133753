/*
title: Folders of a site
task: Content and templates
model: mart.pages
description: >-
  Each row is a folder of URL paths directly below the chosen folder, with sums over all of its pages. The pages
  directly in the chosen folder form a separate row, for which is_subfolder is false. Covers the main crawl of each
  project, or the chosen crawl. Folders of several hosts with the same path are one row. A figure is NULL if the crawl,
  its log files or its search results do not contain the data for it.
parameters:
  project:
  crawl:
  folder: {type: VARCHAR, default: /, description: 'The folder, with a slash at its beginning and end: /shop/.'}
  limit:
needs: [pages]
chart: {kind: bar, x: folder, y: pages, each: [project_name, crawl_id]}
*/
WITH
  main AS (
    SELECT project_id, project_name, crawl_id, crawl_config_name
    FROM mart.crawls
    WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  page AS (
    SELECT
      pages.crawl_id,
      pages.url,
      pages.is_indexable,
      pages.status_code,
      CASE
        WHEN strpos(substr(pages.urlpath, length($folder) + 1), '/') > 0
          THEN $folder || split_part(substr(pages.urlpath, length($folder) + 1), '/', 1) || '/'
      END AS subfolder
    FROM main
    JOIN mart.pages AS pages ON pages.crawl_id = main.crawl_id
    WHERE starts_with(pages.urlpath, $folder)
  ),

  -- All rows about pages meet the pages once: a join each would read every URL three times.
  row_of AS (
    SELECT crawl_id, url, 1 AS issues, 0 AS clicks, 0 AS search_bot_hits, 0 AS unknown_hits
    FROM mart.page_issues
    WHERE crawl_id IN (SELECT crawl_id FROM main)
    UNION ALL
    SELECT crawl_id, url, 0, clicks, 0, 0
    FROM mart.page_demand
    WHERE crawl_id IN (SELECT crawl_id FROM main)
    UNION ALL
    SELECT crawl_id, url, 0, 0, search_bot_hits, CASE WHEN search_bot_hits IS NULL THEN 1 ELSE 0 END
    FROM mart.page_hits
    WHERE crawl_id IN (SELECT crawl_id FROM main)
  ),

  summed AS (
    SELECT
      page.crawl_id,
      page.subfolder,
      CAST(sum(row_of.issues) AS BIGINT) AS issues,
      CAST(sum(row_of.clicks) AS BIGINT) AS clicks,
      CAST(sum(row_of.search_bot_hits) AS BIGINT) AS search_bot_hits,
      sum(row_of.unknown_hits) AS unknown_hits
    FROM row_of
    JOIN page ON page.crawl_id = row_of.crawl_id AND page.url = row_of.url
    GROUP BY page.crawl_id, page.subfolder
  ),

  shaped AS (
    SELECT
      crawl_id,
      subfolder,
      count(*) AS pages,
      count(CASE WHEN is_indexable THEN 1 END) AS indexable_pages,
      count(CASE WHEN status_code BETWEEN 400 AND 599 THEN 1 END) AS error_pages
    FROM page
    GROUP BY crawl_id, subfolder
  ),

  counted AS (
    SELECT
      shaped.crawl_id,
      shaped.subfolder,
      shaped.pages,
      shaped.indexable_pages,
      shaped.error_pages,
      coalesce(summed.issues, 0) AS issues,
      coalesce(summed.clicks, 0) AS clicks,
      coalesce(summed.search_bot_hits, 0) AS search_bot_hits,
      coalesce(summed.unknown_hits, 0) AS unknown_hits
    FROM shaped
    LEFT JOIN summed
      ON summed.crawl_id = shaped.crawl_id
      AND coalesce(summed.subfolder, '') = coalesce(shaped.subfolder, '')
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  folder,
  is_subfolder,
  pages,
  indexable_pages,
  error_pages,
  issues,
  clicks,
  search_bot_hits,
  ranking_from_date,
  ranking_to_date,
  log_from_date,
  log_to_date
FROM (
  SELECT
    main.project_name,
    main.crawl_config_name,
    counted.crawl_id,
    coalesce(counted.subfolder, $folder) AS folder,
    counted.subfolder IS NOT NULL AS is_subfolder,
    counted.pages,
    CASE WHEN whole.indexable_pages IS NOT NULL THEN counted.indexable_pages END AS indexable_pages,
    CASE WHEN whole.error_pages IS NOT NULL THEN counted.error_pages END AS error_pages,
    counted.issues,
    CASE WHEN whole.clicks IS NOT NULL THEN counted.clicks END AS clicks,
    CASE WHEN whole.log_days > 0 AND counted.unknown_hits = 0 THEN counted.search_bot_hits END AS search_bot_hits,
    whole.ranking_from_date,
    whole.ranking_to_date,
    whole.log_from_date,
    whole.log_to_date,
    row_number() OVER (
      PARTITION BY counted.crawl_id ORDER BY counted.pages DESC, coalesce(counted.subfolder, $folder)
    ) AS place
  FROM counted
  JOIN main ON main.crawl_id = counted.crawl_id
  JOIN mart.crawl_segments AS whole ON whole.crawl_id = counted.crawl_id AND whole.segmentation = '(site)'
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, pages DESC, folder
