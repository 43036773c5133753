/*
title: Pages with clicks but few internal links, and deep pages with clicks
task: Search results
model: mart.page_demand
description: >-
  Each row is an indexable page of the main crawl of each project that got clicks from search results on the days of the
  crawl, or in a period if there are only totals (mart.page_demand). The page has less than half of the median number of
  inlinks of indexable pages at the same depth (or of all indexable pages, if it has no depth). Or its depth is more
  than one click above the median depth of the crawl's indexable pages. The linking pages are NULL if the links of the
  crawl are not loaded.
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

  -- Medians: the middle value, or the mean of the two middle values.
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

  -- A target that is a page of the crawl counts as on the site where neither the export nor the hosts show it.
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
