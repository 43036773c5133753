/*
name: mart.page_issues
kind: table
description: >-
  The issues of each page, one row for each crawl, page and issue (mart.issues). What makes pages unique makes these
  rows unique, so it is tested in mart.pages alone.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  issue: Name of the issue (mart.issues.issue).
  why: What was found on the page.
  related_url: >-
    The other URL of a relation, as the canonical, the target of a redirect or another page with the same title; the
    first one where there are several. NULL for an issue of one page, and where the other URL is unknown.
reads:
  ops.loads:
    unit: VARCHAR
    dataset: VARCHAR
    source_id: VARCHAR
    window_from: VARCHAR
    window_to: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within:
    mart.pages: [crawl_id]
    mart.page_relations: [crawl_id]
    mart.canonical_targets: [crawl_id]
    mart.page_hreflangs: [crawl_id]
    mart.links: [crawl_id]
    mart.orphans: [crawl_id]
    mart.page_hits: [crawl_id]
    mart.crawl_budget: [crawl_id]
    mart.page_demand: [crawl_id]
    mart.structured_data: [crawl_id]
    # Settings of segments read them.
    mart.page_groups: [crawl_id]
  # Search results and log files decide in the latest crawl of a configuration only. No link leads to a start page. The
  # settings of issues may name a project.
  partitions: |
    SELECT
      loads.source_id AS crawl_id, loads.unit, loads.loaded_at, CAST(NULL AS VARCHAR) AS start_url,
      CAST(NULL AS VARCHAR) AS project_name, CAST(NULL AS BOOLEAN) AS has_all_links,
      CAST(NULL AS BOOLEAN) AS has_all_sitemaps
    FROM ops.loads AS loads
    WHERE loads.dataset IN ('crawl_pages', 'crawl_links', 'crawl_structured_data', 'crawl_requests')
    UNION ALL
    SELECT days.crawl_id, loads.unit, loads.loaded_at, NULL, NULL, NULL, NULL
    FROM mart.crawls AS crawls
    JOIN (
      SELECT DISTINCT crawl_id, kind, from_date, to_date FROM mart.crawl_days
    ) AS days ON days.crawl_id = crawls.crawl_id
    JOIN ops.loads AS loads
      ON loads.source_id = crawls.project_id
      AND CAST(loads.window_from AS DATE) <= days.to_date
      AND CAST(loads.window_to AS DATE) > days.from_date
    WHERE crawls.is_latest
      AND loads.dataset IN ('ranking_performance', 'log_events', 'log_pages_days')
      AND (loads.dataset = 'ranking_performance') = (days.kind = 'search')
    UNION ALL
    -- Which days belong to a crawl depends on the crawls around it, too.
    SELECT DISTINCT
      crawls.crawl_id,
      days.kind || ' days ' || CAST(days.from_date AS VARCHAR) || ' ' || CAST(days.to_date AS VARCHAR),
      CAST(NULL AS TIMESTAMP WITH TIME ZONE), NULL, NULL, NULL, NULL
    FROM mart.crawls AS crawls
    JOIN mart.crawl_days AS days ON days.crawl_id = crawls.crawl_id
    WHERE crawls.is_latest
    UNION ALL
    -- What a page became follows from the crawls before, and from those that they are compared with.
    SELECT crawls.crawl_id, former.crawl_id || ' before', loads.loaded_at, NULL, NULL, NULL, NULL
    FROM mart.crawls AS crawls
    JOIN mart.crawls AS former
      ON former.project_id = crawls.project_id
      AND former.crawl_config_id IS NOT DISTINCT FROM crawls.crawl_config_id
      AND former.crawl_number < crawls.crawl_number
    JOIN ops.loads AS loads ON loads.source_id = former.crawl_id
    WHERE loads.dataset = 'crawl_pages' AND crawls.previous_crawl_id IS NOT NULL
    UNION ALL
    -- Hits are judged by the crawl whose state their day has.
    SELECT
      crawls.crawl_id, loads.unit || ' from ' || coalesce(CAST(states.from_date AS VARCHAR), ''), loads.loaded_at,
      NULL, NULL, NULL, NULL
    FROM mart.crawls AS crawls
    JOIN (SELECT DISTINCT crawl_id, from_date, to_date FROM mart.crawl_days WHERE kind = 'logs') AS days
      ON days.crawl_id = crawls.crawl_id
    JOIN mart.crawl_states AS states
      ON states.project_id = crawls.project_id
      AND states.crawl_config_id IS NOT DISTINCT FROM crawls.crawl_config_id
      AND coalesce(states.from_date <= days.to_date, true)
      AND coalesce(states.to_date >= days.from_date, true)
    JOIN ops.loads AS loads ON loads.source_id = states.crawl_id
    WHERE crawls.is_latest AND loads.dataset = 'crawl_pages'
    UNION ALL
    SELECT
      crawls.crawl_id, NULL, NULL, projects.start_url, projects.project_name, crawls.has_all_links, crawls.has_all_sitemaps
    FROM mart.crawls AS crawls
    JOIN mart.projects AS projects ON projects.project_id = crawls.project_id
    WHERE crawls.has_pages
*/
SELECT
  found.crawl_id,
  found.project_id,
  found.url,
  found.crawl_id || ' ' || found.url AS page_key,
  found.project_id || ' ' || found.url AS url_key,
  found.issue,
  found.why,
  coalesce(relations.related_url, found.related_url) AS related_url
FROM issues.found AS found
LEFT JOIN mart.page_relations AS relations
  ON relations.crawl_id = found.crawl_id AND relations.url = found.url AND relations.relation = found.relation
-- Where links or sitemaps were read in part, what needs all of them is not known.
LEFT JOIN (
  SELECT crawls.crawl_id AS partial_id, issues.issue AS unknown_issue
  FROM mart.crawls AS crawls
  JOIN mart.issues AS issues
    ON strpos(issues.needs, 'links') > 0 AND NOT crawls.has_all_links
    OR strpos(issues.needs, 'sitemaps') > 0 AND NOT crawls.has_all_sitemaps
) AS partial ON partial.partial_id = found.crawl_id AND partial.unknown_issue = found.issue
WHERE partial.partial_id IS NULL
