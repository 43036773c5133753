/*
title: Became non-indexable
severity: high
category: indexability
definition: >-
  The page was indexable in a crawl of the 28 days before, is not any more, and does not redirect. It was read then, and now it
  was read, is gone, or is blocked by robots.txt.
source: https://support.google.com/webmasters/answer/7440203
why_it_matters: The page drops out of search results, with the clicks that it had.
fix: Undo the change unless it was intended
mended_by: template
needs: [previous]
evidence: [non_indexable_reason]
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  'was indexable, ' || CASE pages.non_indexable_reason
    WHEN 'robots_denied' THEN 'robots.txt blocks it now'
    WHEN 'noindex' THEN 'has noindex now'
    WHEN 'canonicalised' THEN 'has the canonical ' || coalesce(pages.canonical_url, 'of another page') || ' now'
    WHEN 'service' THEN 'the service says that it is not now'
    ELSE 'HTTP status ' || coalesce(CAST(pages.status_code AS VARCHAR), 'unknown') || ' now'
  END AS why
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
) AS lost
JOIN mart.pages AS pages ON pages.crawl_id = lost.crawl_id AND pages.url = lost.url
WHERE lost.lost_in IS NOT NULL
  AND coalesce(lost.regained_in < lost.lost_in, true)
  AND pages.is_indexable = false
  AND pages.non_indexable_reason <> 'redirect'
  AND (
    coalesce(pages.observation, 'read') IN ('read', 'gone')
    OR coalesce(pages.observation_reason = 'blocked_by_robots', false)
  )
