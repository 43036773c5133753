/*
name: mart.lost_indexability
kind: table
description: >-
  URLs that became non-indexable in a crawl or in the 28 days before it, and that no later crawl found indexable or
  redirected (mart.indexability_changes).
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl.
  url: URL of the page (mart.indexability_changes.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  lost_in: Number of the crawl that found the page non-indexable (mart.crawls.crawl_number).
*/
SELECT crawl_id, url, crawl_id || ' ' || url AS page_key, lost_in
FROM (
  SELECT
    now.crawl_id,
    turns.url,
    max(CASE WHEN turns.state_before = 'indexable' AND turns.state <> 'redirect' THEN former.crawl_number END) AS lost_in,
    max(CASE WHEN turns.state IN ('indexable', 'redirect') THEN former.crawl_number END) AS regained_in
  FROM mart.crawls AS now
  JOIN mart.crawls AS former
    ON former.project_id = now.project_id
    AND former.crawl_config_id IS NOT DISTINCT FROM now.crawl_config_id
    AND former.crawl_number <= now.crawl_number
    AND date_diff('millisecond', former.ended_at, now.ended_at) <= 2419200000
  JOIN mart.indexability_changes AS turns ON turns.crawl_id = former.crawl_id
  WHERE now.previous_crawl_id IS NOT NULL
  GROUP BY now.crawl_id, turns.url
) AS turned
WHERE lost_in IS NOT NULL AND coalesce(regained_in < lost_in, true)
