/*
title: Became non-indexable
severity: high
category: indexability
definition: The page was indexable when a crawl read it in the previous 28 days. The current crawl read the page, or found it gone or blocked by robots.txt. The page is no longer indexable, and it does not redirect.
source: https://support.google.com/webmasters/answer/7440203
why_it_matters: The page drops out of search results and loses its clicks.
fix: Revert the change, unless it was intentional
owner: template
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
FROM mart.lost_indexability AS lost
JOIN mart.pages AS pages ON pages.crawl_id = lost.crawl_id AND pages.url = lost.url
WHERE pages.is_indexable = false
  AND pages.non_indexable_reason <> 'redirect'
  AND (
    coalesce(pages.observation, 'read') IN ('read', 'gone')
    OR coalesce(pages.observation_reason = 'blocked_by_robots', false)
  )
