/*
name: mart.crawl_budget
kind: table
description: >-
  Requests of search engine bots for the pages of a crawl on its days (mart.crawl_days), divided by whether a search
  engine could index the page at that time. The status of the response and the crawl whose state applies on that day
  (mart.crawl_states) determine this. A page whose hits are unknown on one of the days has no row (docs/definitions.md).
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  search_bot_hits: Number of requests of search engine bots (mart.page_hits.search_bot_hits), the next three together.
  indexable_hits: Number of these requests while the page was indexable.
  non_indexable_hits: >-
    Number of these requests while the page was not indexable: the response was a redirect or an error, robots.txt
    blocked the page, or the page had a noindex or a canonical to another page.
  untold_hits: Number of these requests for which it is unknown whether the page was indexable.
reads:
  raw.log_pages_days: &source
    _unit: VARCHAR
    _project_id: VARCHAR
    _window: VARCHAR
    day: DATE
  raw.log_events: *source
  ops.loads:
    unit: VARCHAR
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within:
    mart.bot_hits: [project_id, day]
    mart.page_hits: [crawl_id]
  partitions: |
    WITH part AS (
      SELECT DISTINCT 'log_events' AS dataset, _project_id AS project_id, coalesce(day, CAST(_window AS DATE)) AS day, _unit
      FROM raw.log_events
      UNION ALL
      SELECT DISTINCT 'log_pages_days', _project_id, coalesce(day, CAST(_window AS DATE)), _unit
      FROM raw.log_pages_days
    )
    SELECT
      days.crawl_id, days.project_id, days.data_date AS day, CAST(NULL AS DATE) AS from_date, loads.unit, loads.loaded_at
    FROM mart.crawl_days AS days
    JOIN part ON part.project_id = days.project_id AND part.day = days.data_date AND part.dataset = days.dataset
    JOIN ops.loads AS loads ON loads.unit = part._unit
    WHERE days.kind = 'logs' AND days.crawl_id IS NOT NULL
    UNION ALL
    SELECT days.crawl_id, days.project_id, NULL, NULL, loads.unit, loads.loaded_at
    FROM (SELECT DISTINCT project_id, crawl_id FROM mart.crawl_days WHERE kind = 'logs') AS days
    JOIN ops.loads AS loads ON loads.source_id = days.crawl_id
    WHERE loads.dataset = 'crawl_pages'
    UNION ALL
    SELECT days.crawl_id, days.project_id, NULL, states.from_date, loads.unit, loads.loaded_at
    FROM (SELECT DISTINCT project_id, crawl_id, from_date, to_date FROM mart.crawl_days WHERE kind = 'logs') AS days
    JOIN mart.crawls AS crawls ON crawls.crawl_id = days.crawl_id
    JOIN mart.crawl_states AS states
      ON states.project_id = days.project_id
      AND states.crawl_config_id IS NOT DISTINCT FROM crawls.crawl_config_id
      AND coalesce(states.from_date <= days.to_date, true)
      AND coalesce(states.to_date >= days.from_date, true)
    JOIN ops.loads AS loads ON loads.source_id = states.crawl_id
    WHERE loads.dataset = 'crawl_pages'
tests:
  - name: hits are those of mart.page_hits
    query: >-
      SELECT budget.crawl_id, budget.url FROM mart.crawl_budget AS budget JOIN mart.page_hits AS hits ON hits.crawl_id =
      budget.crawl_id AND hits.url = budget.url WHERE hits.search_bot_hits <> budget.search_bot_hits
*/
WITH
  day AS (
    SELECT days.project_id, days.crawl_id, days.data_date AS day, states.crawl_id AS state_crawl_id
    FROM mart.crawl_days AS days
    JOIN mart.crawls AS crawls ON crawls.crawl_id = days.crawl_id
    LEFT JOIN mart.crawl_states AS states
      ON states.project_id = days.project_id
      AND states.crawl_config_id IS NOT DISTINCT FROM crawls.crawl_config_id
      AND coalesce(states.from_date <= days.data_date, true)
      AND coalesce(states.to_date >= days.data_date, true)
    WHERE days.kind = 'logs'
  ),

  hit AS (
    SELECT day.project_id, day.crawl_id, day.state_crawl_id, hits.url, hits.status_class, sum(hits.hits) AS hits
    FROM mart.bot_hits AS hits
    JOIN day ON day.project_id = hits.project_id AND day.day = hits.day
    JOIN mart.page_hits AS totals ON totals.crawl_id = day.crawl_id AND totals.url = hits.url
    WHERE hits.bot_class = 'search' AND totals.search_bot_hits IS NOT NULL
    GROUP BY day.project_id, day.crawl_id, day.state_crawl_id, hits.url, hits.status_class
  ),

  -- The page in the crawl that the day belongs to. If that crawl lacks the page, the page in the crawl itself.
  asked AS (
    SELECT
      hit.crawl_id,
      hit.project_id,
      hit.url,
      hit.hits,
      hit.status_class,
      CASE WHEN former.url IS NULL THEN pages.status_code ELSE former.status_code END AS status_code,
      CASE WHEN former.url IS NULL THEN pages.is_robots_denied ELSE former.is_robots_denied END AS is_robots_denied,
      CASE WHEN former.url IS NULL THEN pages.is_noindex ELSE former.is_noindex END AS is_noindex,
      CASE WHEN former.url IS NULL THEN pages.is_canonicalised ELSE former.is_canonicalised END AS is_canonicalised,
      CASE WHEN former.url IS NULL THEN pages.is_indexable ELSE former.is_indexable END AS is_indexable,
      CASE WHEN former.url IS NULL THEN pages.non_indexable_reason ELSE former.non_indexable_reason END AS reason
    FROM hit
    JOIN mart.pages AS pages ON pages.crawl_id = hit.crawl_id AND pages.url = hit.url
    LEFT JOIN mart.pages AS former ON former.crawl_id = hit.state_crawl_id AND former.url = hit.url
  ),

  judged AS (
    SELECT
      crawl_id,
      project_id,
      url,
      hits,
      CASE
        WHEN is_robots_denied THEN false
        WHEN status_class IN ('redirect', 'error') THEN false
        WHEN status_class IS NULL AND (status_code < 200 OR status_code > 299) AND status_code <> 304 THEN false
        WHEN is_noindex OR is_canonicalised THEN false
        WHEN NOT is_indexable AND (status_code = 200 OR reason = 'service') THEN false
        WHEN is_indexable THEN true
      END AS was_indexable
    FROM asked
  )

SELECT
  crawl_id,
  project_id,
  url,
  crawl_id || ' ' || url AS page_key,
  project_id || ' ' || url AS url_key,
  CAST(sum(hits) AS BIGINT) AS search_bot_hits,
  CAST(coalesce(sum(CASE WHEN was_indexable THEN hits END), 0) AS BIGINT) AS indexable_hits,
  CAST(coalesce(sum(CASE WHEN NOT was_indexable THEN hits END), 0) AS BIGINT) AS non_indexable_hits,
  CAST(coalesce(sum(CASE WHEN was_indexable IS NULL THEN hits END), 0) AS BIGINT) AS untold_hits
FROM judged
GROUP BY crawl_id, project_id, url
