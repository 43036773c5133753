/*
title: Crawl budget wasted on redirects, errors and non-indexable pages
task: Bots and crawl budget
model: mart.bot_hits
description: >-
  Each row is a project, dataset, engine and kind of waste, with the hits of search engine bots. Covers the days of the
  main crawl or of the chosen crawl (mart.crawl_days), or the chosen days. If several kinds apply, the first one counts
  in this order: robots_denied, redirect, error, noindex, canonicalised, not_indexable, parameters, orphan. Kind none
  means no waste, and NULL means that no crawl contains the page. The status is that of each log line. In the service's
  daily counts (dataset log_pages_days), it is known if all requests of a day had one kind of status; otherwise it is
  that of the crawl. In that case, hits_2xx to hits_5xx are those counts, including people. The state of a page is that
  in the crawl of that day (mart.crawl_states), otherwise that in the main or chosen crawl. Parameters are not waste on
  an indexable page that is its own canonical. An orphan is a page of mart.orphans: no link leads to it, or no crawl
  knows it. The chosen segment is a first directory, which may also contain URLs that the crawl does not know, or a
  segment of the project's own segmentations.
parameters: [project, crawl, segment, from, to, limit]
needs: [logs]
chart: {kind: bar, x: waste, y: hits, each: [project_name, project_id, dataset]}
*/
WITH
  main AS (
    SELECT project_id, crawl_id, crawl_config_id
    FROM mart.crawls
    WHERE has_pages AND ($crawl IS NULL AND is_main OR crawl_id = $crawl)
  ),

  -- The requested days, else the days that belong to the crawl.
  logged AS (
    SELECT days.project_id, days.data_date AS day, days.from_date, days.to_date
    FROM mart.crawl_days AS days
    LEFT JOIN main ON main.crawl_id = days.crawl_id
    WHERE $from IS NULL AND $to IS NULL
      AND days.kind = 'logs'
      AND (main.crawl_id IS NOT NULL OR days.crawl_id IS NULL)

    UNION ALL
    SELECT
      project_id, day, min(day) OVER (PARTITION BY project_id) AS from_date, max(day) OVER (PARTITION BY project_id) AS to_date
    FROM mart.log_days
    WHERE ($from IS NOT NULL OR $to IS NOT NULL)
      AND ($from IS NULL OR day >= $from)
      AND ($to IS NULL OR day < $to)
  ),

  hit AS (
    SELECT
      logged.project_id,
      main.crawl_id,
      logged.from_date,
      logged.to_date,
      hits.dataset,
      hits.engine,
      hits.url,
      hits.hits,
      hits.hits_2xx,
      hits.hits_3xx,
      hits.hits_4xx,
      hits.hits_5xx,
      hits.status_class,
      CASE WHEN former.url IS NULL THEN pages.status_code ELSE former.status_code END AS status_code,
      CASE WHEN former.url IS NULL THEN pages.is_robots_denied ELSE former.is_robots_denied END AS is_robots_denied,
      CASE WHEN former.url IS NULL THEN pages.is_noindex ELSE former.is_noindex END AS is_noindex,
      CASE WHEN former.url IS NULL THEN pages.is_canonicalised ELSE former.is_canonicalised END AS is_canonicalised,
      CASE WHEN former.url IS NULL THEN pages.is_indexable ELSE former.is_indexable END AS is_indexable,
      CASE WHEN former.url IS NULL THEN pages.non_indexable_reason ELSE former.non_indexable_reason END AS reason,
      CASE WHEN former.url IS NULL THEN pages.canonical_kind ELSE former.canonical_kind END AS canonical_kind,
      coalesce(
        CASE WHEN former.url IS NULL THEN pages.url_has_params ELSE former.url_has_params END, strpos(hits.url, '?') > 0
      ) AS has_params,
      orphans.url IS NOT NULL AS is_orphan
    FROM mart.bot_hits AS hits
    JOIN logged ON logged.project_id = hits.project_id AND logged.day = hits.day
    LEFT JOIN main ON main.project_id = hits.project_id
    LEFT JOIN mart.crawl_states AS states
      ON states.project_id = main.project_id
      AND states.crawl_config_id IS NOT DISTINCT FROM main.crawl_config_id
      AND coalesce(states.from_date <= hits.day, true)
      AND coalesce(states.to_date >= hits.day, true)
    LEFT JOIN mart.pages AS pages ON pages.crawl_id = main.crawl_id AND pages.url = hits.url
    LEFT JOIN mart.pages AS former ON former.crawl_id = states.crawl_id AND former.url = hits.url
    LEFT JOIN mart.orphans AS orphans
      ON orphans.crawl_id = CASE WHEN former.url IS NULL THEN main.crawl_id ELSE states.crawl_id END
      AND orphans.url = hits.url
    WHERE hits.bot_class = 'search'
      AND (
        $project IS NULL
        OR hits.project_id = $project
        OR hits.project_id IN (SELECT project_id FROM mart.projects WHERE project_name = $project)
      )
      AND ($crawl IS NULL OR main.crawl_id IS NOT NULL)
      AND (
        $segment IS NULL
        OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
        OR regexp_replace($segment, '^[(]directory[)]:', '') = CASE
          WHEN pages.url IS NOT NULL THEN pages.url_first_path
          WHEN split_part(split_part(hits.url, '?', 1), '#', 1) LIKE '%://%/%/%' THEN '/' || split_part(hits.url, '/', 4) || '/'
          ELSE '/'
        END
      )
  ),

  judged AS (
    SELECT
      project_id,
      crawl_id,
      from_date,
      to_date,
      dataset,
      engine,
      CASE
        WHEN is_robots_denied THEN 'robots_denied'
        WHEN status_class = 'redirect' THEN 'redirect'
        WHEN status_class = 'error' THEN 'error'
        WHEN status_class IS NULL AND status_code BETWEEN 300 AND 399 AND status_code <> 304 THEN 'redirect'
        WHEN status_class IS NULL AND status_code NOT BETWEEN 200 AND 399 THEN 'error'
        WHEN is_noindex THEN 'noindex'
        WHEN is_canonicalised THEN 'canonicalised'
        WHEN NOT is_indexable AND (status_code = 200 OR reason = 'service') THEN 'not_indexable'
        WHEN has_params AND NOT coalesce(is_indexable AND canonical_kind = 'self', false) THEN 'parameters'
        WHEN is_orphan THEN 'orphan'
        WHEN crawl_id IS NOT NULL THEN 'none'
      END AS waste,
      url,
      hits,
      hits_2xx,
      hits_3xx,
      hits_4xx,
      hits_5xx
    FROM hit
  ),

  asked AS (
    SELECT
      project_id,
      crawl_id,
      from_date,
      to_date,
      dataset,
      engine,
      waste,
      url,
      sum(hits) AS hits,
      CASE WHEN count(hits_2xx) = count(*) THEN sum(hits_2xx) END AS hits_2xx,
      CASE WHEN count(hits_3xx) = count(*) THEN sum(hits_3xx) END AS hits_3xx,
      CASE WHEN count(hits_4xx) = count(*) THEN sum(hits_4xx) END AS hits_4xx,
      CASE WHEN count(hits_5xx) = count(*) THEN sum(hits_5xx) END AS hits_5xx
    FROM judged
    GROUP BY project_id, crawl_id, from_date, to_date, dataset, engine, waste, url
  ),

  answer AS (
    SELECT
      projects.project_name,
      asked.project_id,
      asked.crawl_id,
      asked.from_date,
      asked.to_date,
      asked.dataset,
      asked.engine,
      asked.waste,
      count(*) AS urls,
      CAST(sum(asked.hits) AS BIGINT) AS hits,
      CAST(
        round(
          CAST(
            CAST(100 * sum(asked.hits) AS DOUBLE)
              / sum(sum(asked.hits)) OVER (PARTITION BY asked.project_id, asked.crawl_id, asked.dataset, asked.engine)
            AS DECIMAL(38, 9)
          ),
          1
        ) AS DOUBLE
      ) AS hits_percent,
      CASE WHEN count(asked.hits_2xx) = count(*) THEN CAST(sum(asked.hits_2xx) AS BIGINT) END AS hits_2xx,
      CASE WHEN count(asked.hits_3xx) = count(*) THEN CAST(sum(asked.hits_3xx) AS BIGINT) END AS hits_3xx,
      CASE WHEN count(asked.hits_4xx) = count(*) THEN CAST(sum(asked.hits_4xx) AS BIGINT) END AS hits_4xx,
      CASE WHEN count(asked.hits_5xx) = count(*) THEN CAST(sum(asked.hits_5xx) AS BIGINT) END AS hits_5xx,
      max_by(asked.url, ROW(asked.hits, asked.url)) FILTER (WHERE asked.url IS NOT NULL) AS most_asked_url
    FROM asked
    LEFT JOIN mart.projects AS projects ON projects.project_id = asked.project_id
    GROUP BY
      projects.project_name, asked.project_id, asked.crawl_id, asked.from_date, asked.to_date, asked.dataset,
      asked.engine, asked.waste
  )

SELECT
  project_name,
  project_id,
  crawl_id,
  from_date,
  to_date,
  dataset,
  engine,
  waste,
  urls,
  hits,
  hits_percent,
  hits_2xx,
  hits_3xx,
  hits_4xx,
  hits_5xx,
  most_asked_url
FROM (
  SELECT
    *,
    row_number() OVER (PARTITION BY project_id ORDER BY dataset, engine, hits DESC, waste) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, project_id, dataset, engine, hits DESC, waste
