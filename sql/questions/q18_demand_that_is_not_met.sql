/*
title: High impressions with low CTR, and demand on URLs that are not 200 or not indexable
model: mart.page_demand
description: >-
  URLs that search results showed in the last 28 days, joined to the latest crawl of their project. A low CTR is less
  than half of the project's; it is looked for among the tenth of its URLs with the most impressions.
*/
WITH demand AS (
  SELECT
    *,
    sum(clicks) OVER project / nullif(sum(impressions) OVER project, 0) AS project_ctr,
    percent_rank() OVER (PARTITION BY project_id ORDER BY impressions DESC) < 0.1 AS has_many_impressions
  FROM mart.page_demand
  WHERE impressions > 0
  WINDOW project AS (PARTITION BY project_id)
)

SELECT
  projects.project_name,
  demand.project_id,
  crawls.crawl_id,
  CASE
    WHEN pages.status_code <> 200 THEN 'demand on a URL that is not 200'
    WHEN NOT pages.is_indexable THEN 'demand on a URL that is not indexable'
    WHEN demand.has_many_impressions AND demand.ctr < demand.project_ctr / 2 THEN 'many impressions, low CTR'
  END AS finding,
  demand.url,
  pages.status_code,
  demand.impressions,
  demand.clicks,
  round(demand.ctr, 4) AS ctr,
  round(demand.project_ctr, 4) AS project_ctr,
  round(demand.position, 1) AS position,
  demand.top_query
FROM demand
LEFT JOIN mart.projects AS projects ON projects.project_id = demand.project_id
LEFT JOIN mart.crawls AS crawls ON crawls.project_id = demand.project_id AND crawls.is_latest
LEFT JOIN mart.pages AS pages ON pages.crawl_id = crawls.crawl_id AND pages.url = demand.url
WHERE finding IS NOT NULL
ORDER BY project_name, project_id, finding, impressions DESC, url
