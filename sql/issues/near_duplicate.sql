/*
title: Near duplicate
severity: medium
category: content
definition: The page is indexable, and its content is very similar to the content of another page. Neither a canonical nor hreflang explains the similarity (has_nearduplicate_issue).
source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
why_it_matters: Search engines choose one of the similar pages, possibly the wrong one.
fix: Write unique content, or declare the main page as the canonical
owner: content
needs: [related]
evidence: [has_nearduplicate_issue]
cases:
  has:
    - {is_indexable: true, has_nearduplicate_issue: true, nearduplicate_content_similarity: 0.9}
    - {is_indexable: true, has_nearduplicate_issue: true}
  has_not:
    - {is_indexable: true, has_nearduplicate_issue: false}
    - {is_indexable: false, has_nearduplicate_issue: true}
*/
SELECT
  crawl_id,
  project_id,
  url,
  coalesce(CAST(CAST(round(CAST(100 * nearduplicate_content_similarity AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' % like another page', 'much like another page') AS why,
  CASE WHEN cluster IS NULL THEN NULL WHEN url = first_url THEN next_url ELSE first_url END AS related_url
FROM (
  SELECT
    crawl_id,
    project_id,
    url,
    is_indexable,
    has_nearduplicate_issue,
    nearduplicate_content_similarity,
    list_extract(clusters, 1) AS cluster,
    min(url) OVER (PARTITION BY crawl_id, list_extract(clusters, 1)) AS first_url,
    lead(url) OVER (PARTITION BY crawl_id, list_extract(clusters, 1) ORDER BY url) AS next_url
  FROM mart.pages
  WHERE has_nearduplicate_issue OR nearduplicate_content
) AS alike
WHERE is_indexable AND has_nearduplicate_issue
