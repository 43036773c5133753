/*
title: Pages with many impressions but a low CTR, and demand for pages that are broken or not indexable
task: Search results
model: mart.page_demand
description: >-
  Each row is a URL that search results showed on the days of the main crawl or of the chosen crawl (mart.crawl_days).
  Lists URLs that the crawl does not know, that are not 200 or not indexable, and URLs with many impressions and a low
  CTR. A CTR is low if the URL has less than half of the clicks that the project's URLs get on average at its positions
  (expected_ctr_percent). Only the top tenth of the project's URLs by impressions is checked for a low CTR. If there are
  no search results by day, totals of a period are used (mart.page_demand). If several findings apply, the first one
  counts. URLs with the most impressions come first.
parameters: [project, crawl, segment, limit]
needs: [rankings]
chart: {kind: scatter, x: average_position, y: impressions, colour: finding, each: [project_name, project_id]}
*/
WITH
  main AS (
    SELECT project_id, crawl_id, crawl_config_name
    FROM mart.crawls
    WHERE has_pages AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  demand AS (
    SELECT
      found.project_id,
      found.url,
      found.from_date,
      found.to_date,
      found.impressions,
      found.clicks,
      found.ctr,
      found.average_position,
      found.top_query,
      found.is_period_total,
      percent_rank() OVER (PARTITION BY found.project_id ORDER BY found.impressions DESC) < 0.1 AS has_many_impressions
    FROM mart.page_demand AS found
    LEFT JOIN main ON main.crawl_id = found.crawl_id
    WHERE found.impressions > 0 AND (main.crawl_id IS NOT NULL OR found.crawl_id IS NULL)
  ),

  -- Positions 1 to 10 are separate, 11 to 20 are one group (as 20), and so are all others (as 100).
  shown AS (
    SELECT project_id, url, band, sum(impressions) AS impressions, sum(clicks) AS clicks
    FROM (
      SELECT
        performance.project_id,
        performance.url,
        performance.impressions,
        performance.clicks,
        CASE
          WHEN floor(performance.position + 0.5) BETWEEN 1 AND 10 THEN floor(performance.position + 0.5)
          WHEN floor(performance.position + 0.5) BETWEEN 11 AND 20 THEN 20
          ELSE 100
        END AS band
      FROM mart.ranking_performance AS performance
      JOIN demand ON demand.project_id = performance.project_id AND demand.url = performance.url
      WHERE performance.date BETWEEN demand.from_date AND demand.to_date
        AND performance.position IS NOT NULL
        AND NOT demand.is_period_total

      -- Totals of a period have one position for each URL.
      UNION ALL
      SELECT
        project_id,
        url,
        impressions,
        clicks,
        CASE
          WHEN floor(average_position + 0.5) BETWEEN 1 AND 10 THEN floor(average_position + 0.5)
          WHEN floor(average_position + 0.5) BETWEEN 11 AND 20 THEN 20
          ELSE 100
        END
      FROM demand
      WHERE is_period_total AND average_position IS NOT NULL
    ) AS positioned
    GROUP BY project_id, url, band
  ),

  curve AS (
    SELECT project_id, band, CAST(sum(clicks) AS DOUBLE) / nullif(sum(impressions), 0) AS ctr
    FROM shown
    GROUP BY project_id, band
  ),

  expected AS (
    SELECT
      shown.project_id,
      shown.url,
      -- Six decimals, so that clicks of whole numbers stay whole however the rates of their positions are rounded.
      CAST(sum(CAST(shown.impressions * curve.ctr AS DECIMAL(38, 9))) AS DECIMAL(38, 6)) AS clicks
    FROM shown
    JOIN curve ON curve.project_id = shown.project_id AND curve.band = shown.band
    GROUP BY shown.project_id, shown.url
  ),

  judged AS (
    SELECT
      projects.project_name,
      demand.project_id,
      main.crawl_config_name,
      main.crawl_id,
      CASE
        WHEN main.crawl_id IS NOT NULL AND pages.url IS NULL THEN 'demand on a URL that the crawl does not know'
        WHEN pages.status_code <> 200 THEN 'demand on a URL that is not 200'
        WHEN NOT pages.is_indexable THEN 'demand on a URL that is not indexable'
        WHEN demand.has_many_impressions AND 2 * demand.clicks < expected.clicks THEN 'many impressions, low CTR'
      END AS finding,
      demand.url,
      pages.status_code,
      demand.impressions,
      demand.clicks,
      CAST(round(CAST(100 * demand.ctr AS DECIMAL(38, 9)), 2) AS DOUBLE) AS ctr_percent,
      CAST(round(CAST(CAST(100 * expected.clicks AS DOUBLE) / demand.impressions AS DECIMAL(38, 9)), 2) AS DOUBLE)
        AS expected_ctr_percent,
      CAST(round(CAST(demand.average_position AS DECIMAL(38, 9)), 1) AS DOUBLE) AS average_position,
      demand.top_query
    FROM demand
    LEFT JOIN mart.projects AS projects ON projects.project_id = demand.project_id
    LEFT JOIN expected ON expected.project_id = demand.project_id AND expected.url = demand.url
    LEFT JOIN main ON main.project_id = demand.project_id
    LEFT JOIN mart.pages AS pages ON pages.crawl_id = main.crawl_id AND pages.url = demand.url
    WHERE ($project IS NULL OR demand.project_id = $project OR projects.project_name = $project)
      AND ($crawl IS NULL OR main.crawl_id IS NOT NULL)
      AND (
        $segment IS NULL
        OR $segment IN (pages.url_first_path, '(directory):' || pages.url_first_path)
        OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
      )
  )

SELECT
  project_name,
  project_id,
  crawl_config_name,
  crawl_id,
  finding,
  url,
  status_code,
  impressions,
  clicks,
  ctr_percent,
  expected_ctr_percent,
  average_position,
  top_query
FROM (
  SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY impressions DESC, finding, url) AS place
  FROM judged
  WHERE finding IS NOT NULL
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, project_id, impressions DESC, finding, url
