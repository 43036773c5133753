/*
title: Duplicate titles, H1s and descriptions, and clusters of near duplicates
model: mart.pages
description: >-
  Texts that several pages with status 200 share in the latest crawl of each project, and clusters of similar pages
  (field: clusters, value: the cluster's identifier), and on how many of them the service finds the duplication
  unhandled by canonicals and hreflang (NULL where the export does not say). Similarity is that of a cluster.
*/
WITH text AS (
  SELECT
    crawls.project_name,
    pages.crawl_id,
    pages.url,
    unnest([
      {field: 'title', value: title::VARCHAR, unhandled: has_duplicate_title_issue},
      {field: 'h1', value: h1::VARCHAR, unhandled: has_duplicate_h1_issue},
      {field: 'meta_description', value: meta_description::VARCHAR, unhandled: has_duplicate_description_issue}
    ], recursive := true)
  FROM mart.pages AS pages
  JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_main
  WHERE pages.status_code = 200

  UNION ALL
  SELECT crawls.project_name, pages.crawl_id, pages.url, 'clusters', unnest(clusters), has_nearduplicate_issue
  FROM mart.pages AS pages
  JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id AND crawls.is_main
  WHERE pages.status_code = 200
)

SELECT
  text.project_name,
  text.crawl_id,
  text.field,
  text.value,
  count(*) AS pages,
  if(count(unhandled) > 0, count(*) FILTER (unhandled), NULL) AS unhandled_pages,
  max(clusters.average_similarity) AS similarity,
  min(text.url) AS sample_url
FROM text
LEFT JOIN mart.clusters AS clusters
  ON clusters.crawl_id = text.crawl_id AND clusters.cluster_id = if(text.field = 'clusters', text.value, NULL)
WHERE text.value <> ''
GROUP BY text.project_name, text.crawl_id, text.field, text.value
HAVING count(*) > 1
ORDER BY project_name, crawl_id, field, pages DESC, value
