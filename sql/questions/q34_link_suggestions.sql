/*
title: Pages to link from
task: Links
model: mart.links
description: >-
  Each row is a page that could link to the chosen page and does not link to it yet. Pages with the highest inrank come
  first. Each page is on the same host, was read, is indexable and is not a file. It is similar to the chosen page
  (mart.pages.clusters), in the same segment of one of the project's own segmentations, or in the same first directory.
  Covers the main crawl of each project, or the chosen crawl, if its links are loaded. Returns no rows if the chosen
  page is not indexable. Without a URL, the chosen page is the indexable page with the fewest links to it.
parameters:
  project:
  crawl:
  url: {type: VARCHAR, description: The URL of the page that needs links.}
  limit: 20
needs: [pages, links]
*/
WITH
  main AS (
    SELECT project_id, project_name, crawl_id, crawl_config_name
    FROM mart.crawls
    WHERE has_links
      AND ($project IS NULL OR project_id = $project OR project_name = $project)
      AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  target AS (
    SELECT *
    FROM (
      SELECT
        pages.crawl_id,
        pages.url,
        pages.url_host,
        pages.url_first_path,
        row_number() OVER (PARTITION BY pages.crawl_id ORDER BY pages.nb_inlinks NULLS LAST, pages.url) AS place
      FROM main
      JOIN mart.pages AS pages ON pages.crawl_id = main.crawl_id
      WHERE pages.is_indexable AND NOT coalesce(pages.is_resource, false) AND ($url IS NULL OR pages.url = $url)
    ) AS ranked
    WHERE place = 1
  ),

  alike AS (
    SELECT DISTINCT own.crawl_id, lists.url
    FROM target
    JOIN mart.page_lists AS own ON own.crawl_id = target.crawl_id AND own.url = target.url AND own.field = 'clusters'
    JOIN mart.page_lists AS lists
      ON lists.crawl_id = own.crawl_id
      AND lists.item = own.item
      AND lists.field = 'clusters'
  ),

  placed AS (
    SELECT own.crawl_id, groups.url, min(own.segmentation || ':' || own.segment) AS segment
    FROM target
    JOIN mart.page_groups AS own ON own.crawl_id = target.crawl_id AND own.url = target.url
    JOIN mart.page_groups AS groups
      ON groups.crawl_id = own.crawl_id
      AND groups.segmentation = own.segmentation
      AND groups.segment = own.segment
    GROUP BY own.crawl_id, groups.url
  ),

  linked AS (
    SELECT DISTINCT links.crawl_id, links.origin
    FROM target
    JOIN mart.links AS links ON links.crawl_id = target.crawl_id AND links.target = target.url
  ),

  candidate AS (
    SELECT
      pages.crawl_id,
      target.url,
      pages.url AS origin,
      pages.title AS origin_title,
      alike.url IS NOT NULL AS is_similar,
      coalesce(
        placed.segment,
        CASE WHEN pages.url_first_path = target.url_first_path THEN '(directory):' || pages.url_first_path END
      ) AS shared_segment,
      pages.inrank_decimal,
      pages.nb_inlinks,
      pages.internal_outlinks,
      pages.depth
    FROM target
    JOIN mart.pages AS pages ON pages.crawl_id = target.crawl_id AND pages.url_host = target.url_host
    LEFT JOIN alike ON alike.crawl_id = pages.crawl_id AND alike.url = pages.url
    LEFT JOIN placed ON placed.crawl_id = pages.crawl_id AND placed.url = pages.url
    LEFT JOIN linked ON linked.crawl_id = pages.crawl_id AND linked.origin = pages.url
    WHERE pages.is_indexable
      AND NOT coalesce(pages.is_resource, false)
      AND coalesce(pages.observation, 'read') = 'read'
      AND pages.url <> target.url
      AND linked.origin IS NULL
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  url,
  origin,
  origin_title,
  is_similar,
  shared_segment,
  inrank_decimal,
  nb_inlinks,
  internal_outlinks,
  depth
FROM (
  SELECT
    main.project_name,
    main.crawl_config_name,
    candidate.*,
    row_number() OVER (
      PARTITION BY candidate.crawl_id
      ORDER BY candidate.inrank_decimal DESC NULLS LAST, candidate.nb_inlinks DESC NULLS LAST, candidate.origin
    ) AS place
  FROM candidate
  JOIN main ON main.crawl_id = candidate.crawl_id
  WHERE candidate.is_similar OR candidate.shared_segment IS NOT NULL
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, inrank_decimal DESC NULLS LAST, nb_inlinks DESC NULLS LAST, origin
