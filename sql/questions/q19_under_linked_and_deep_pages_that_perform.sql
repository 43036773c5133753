/*
title: Under-linked pages that perform, and deep pages with traffic
task: Search results
model: mart.page_demand
description: >-
  Indexable pages of the main crawl of each project that search results brought clicks to on the days that
  belong to the crawl (or in a period, where there are totals only: mart.page_demand), and that
  have less than half of the inlinks of the indexable pages of the same depth (of all indexable pages where the page has
  no depth), or stand more than a click deeper than the indexable pages do, by the medians of the crawl; with the pages
  that link to them (NULL where the links of the crawl are not loaded).
parameters: [project, crawl, segment, limit]
needs: [pages, rankings]
chart: {kind: scatter, x: nb_inlinks, y: clicks, each: [project_name, crawl_id]}
*/
WITH
  main AS (
    SELECT project_id, project_name, crawl_id, crawl_config_name, has_links
    FROM mart.crawls
    WHERE ($crawl IS NULL AND is_main OR crawl_id = $crawl)
      AND ($project IS NULL OR project_id = $project OR project_name = $project)
  ),

  good AS (
    SELECT main.project_id, pages.crawl_id, pages.url, pages.url_first_path, pages.nb_inlinks, pages.depth
    FROM main
    JOIN mart.pages AS pages ON pages.crawl_id = main.crawl_id
    WHERE pages.is_indexable
  ),

  ranked AS (
    SELECT
      crawl_id,
      depth,
      nb_inlinks,
      row_number() OVER (PARTITION BY crawl_id ORDER BY nb_inlinks NULLS LAST) AS inlinks_place,
      count(nb_inlinks) OVER (PARTITION BY crawl_id) AS inlinks_count,
      row_number() OVER (PARTITION BY crawl_id, depth ORDER BY nb_inlinks NULLS LAST) AS inlinks_place_in_depth,
      count(nb_inlinks) OVER (PARTITION BY crawl_id, depth) AS inlinks_count_in_depth,
      row_number() OVER (PARTITION BY crawl_id ORDER BY depth NULLS LAST) AS depth_place,
      count(depth) OVER (PARTITION BY crawl_id) AS depth_count
    FROM good
  ),

  -- Medians: the value in the middle, or the mean of the two there.
  usual AS (
    SELECT
      crawl_id,
      avg(CASE WHEN 2 * inlinks_place BETWEEN inlinks_count AND inlinks_count + 2 THEN nb_inlinks END) AS nb_inlinks,
      avg(CASE WHEN 2 * depth_place BETWEEN depth_count AND depth_count + 2 THEN depth END) AS depth
    FROM ranked
    GROUP BY crawl_id
  ),

  usual_in_depth AS (
    SELECT
      crawl_id,
      depth,
      avg(
        CASE
          WHEN 2 * inlinks_place_in_depth BETWEEN inlinks_count_in_depth AND inlinks_count_in_depth + 2 THEN nb_inlinks
        END
      ) AS nb_inlinks
    FROM ranked
    WHERE depth IS NOT NULL
    GROUP BY crawl_id, depth
  ),

  judged AS (
    SELECT
      good.project_id,
      good.crawl_id,
      good.url,
      good.url_first_path,
      2 * good.nb_inlinks < coalesce(usual_in_depth.nb_inlinks, usual.nb_inlinks) AS is_under_linked,
      good.depth > usual.depth + 1 AS is_deep,
      demand.clicks,
      demand.impressions,
      CAST(round(CAST(demand.average_position AS DECIMAL(38, 9)), 1) AS DOUBLE) AS average_position,
      demand.top_query,
      good.nb_inlinks,
      good.depth
    FROM good
    JOIN mart.page_demand AS demand ON demand.crawl_id = good.crawl_id AND demand.url = good.url
    JOIN usual ON usual.crawl_id = good.crawl_id
    LEFT JOIN usual_in_depth ON usual_in_depth.crawl_id = good.crawl_id AND usual_in_depth.depth = good.depth
    WHERE demand.clicks > 0
  ),

  found AS (
    SELECT *, row_number() OVER (PARTITION BY crawl_id ORDER BY clicks DESC, url) AS place
    FROM judged
    WHERE (is_under_linked OR is_deep)
      AND (
        $segment IS NULL
        OR $segment IN (url_first_path, '(directory):' || url_first_path)
        OR crawl_id || ' ' || url IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
      )
  ),

  -- A target that is a page of the crawl is on the site where neither the export nor the hosts say so.
  origins AS (
    SELECT links.crawl_id, links.target, array_agg(DISTINCT links.origin ORDER BY links.origin) AS origin_pages
    FROM mart.links AS links
    JOIN found ON found.crawl_id = links.crawl_id AND found.url = links.target
    WHERE coalesce(links.is_internal, true) AND links.origin IS NOT NULL
    GROUP BY links.crawl_id, links.target
  )

SELECT
  main.project_name,
  main.crawl_config_name,
  found.crawl_id,
  found.url,
  found.is_under_linked,
  found.is_deep,
  found.clicks,
  found.impressions,
  found.average_position,
  found.top_query,
  found.nb_inlinks,
  found.depth,
  CASE WHEN main.has_links THEN coalesce(origins.origin_pages, CAST(ARRAY[] AS VARCHAR[])) END AS origin_pages
FROM found
JOIN main ON main.crawl_id = found.crawl_id
LEFT JOIN origins ON origins.crawl_id = found.crawl_id AND origins.target = found.url
WHERE $limit IS NULL OR found.place <= $limit
ORDER BY project_name, crawl_id, clicks DESC, url
