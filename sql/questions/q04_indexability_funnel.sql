/*
title: "Indexability funnel: known, fetched, 200, indexable, canonical"
model: mart.pages
description: >-
  One row a crawl; each step counts pages that passed the one before. NULL where the crawl's export did not have the
  field of a step.
*/
SELECT
  crawls.project_name,
  crawls.ended_at,
  pages.crawl_id,
  count(*) AS known,
  if(count(fetched) > 0, count(*) FILTER (fetched), NULL) AS fetched,
  if(count(status_code) > 0, count(*) FILTER (status_code = 200), NULL) AS answered_200,
  if(count(status_code) > 0, count(*) FILTER (is_indexable), NULL) AS indexable,
  if(
    count(canonical_evaluation) > 0,
    count(*) FILTER (is_indexable AND canonical_evaluation = 'matching'),
    NULL
  ) AS canonical
FROM mart.pages AS pages
LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id
GROUP BY crawls.project_name, crawls.ended_at, pages.crawl_id
ORDER BY project_name, ended_at, crawl_id
