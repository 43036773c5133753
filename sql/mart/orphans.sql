/*
name: mart.orphans
kind: table
description: >-
  URLs that no link of a crawl's structure leads to, one row for each crawl and URL. The URLs are pages of the crawl,
  and URLs that appear only in log files or search results. The start page, robots.txt, page resources and feeds are not
  orphans. A crawl that did not read all links (mart.crawls.has_all_links) has no rows (docs/definitions.md).
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL (mart.pages.url, mart.bot_hits.url, mart.page_hits.url, mart.page_demand.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  url_first_path: >-
    First directory of the URL (mart.pages.url_first_path); NULL for a URL that is not a page of the crawl.
  reason: >-
    For a page: linked_by_orphans_only, only_in_sitemap, no_inlinks or not_reached; for a URL that the crawl does not
    know: only_in_logs, only_in_search_results or only_in_logs_and_search_results.
  sources: How the page became known (mart.pages.sources).
  state: >-
    live (it responds), moved (it redirects), gone (404, 410), blocked (robots.txt), refused (401, 403, 429, 503) or
    unreadable (anything else); NULL if it is unknown. For a URL that is not a page of the crawl, the state is what the
    crawl found at its end (mart.rechecks.state), else the one that the status of the last request in log files implies.
  status_code: >-
    HTTP status of the page (mart.pages.status_code); for a URL that is not a page of the crawl, that of mart.rechecks,
    else that of the last request on the days that belong to the crawl (mart.page_hits.last_status_code).
  is_indexable: >-
    Whether a search engine may index the page (mart.pages.is_indexable, mart.rechecks.is_indexable).
  depth: Clicks from the start URL (mart.pages.depth).
  nb_inlinks: Number of links to the page from pages of the site (mart.pages.nb_inlinks).
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
    window_from: VARCHAR
    window_to: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within:
    mart.pages: [crawl_id]
    mart.page_hits: [crawl_id]
    mart.bot_hits: [project_id, day]
    mart.page_demand: [crawl_id]
    mart.rechecks: [crawl_id]
  partitions: |
    WITH
      crawl AS (
        SELECT crawls.crawl_id, crawls.project_id, projects.start_url, crawls.has_all_links
        FROM mart.crawls AS crawls
        LEFT JOIN mart.projects AS projects ON projects.project_id = crawls.project_id
        WHERE crawls.has_pages
      ),

      part AS (
        SELECT DISTINCT 'log_events' AS dataset, _project_id AS project_id, coalesce(day, CAST(_window AS DATE)) AS day, _unit
        FROM raw.log_events
        UNION ALL
        SELECT DISTINCT 'log_pages_days', _project_id, coalesce(day, CAST(_window AS DATE)), _unit
        FROM raw.log_pages_days
      )

    SELECT
      crawl.crawl_id, crawl.project_id, CAST(NULL AS DATE) AS day, CAST(NULL AS DATE) AS to_date, crawl.start_url,
      crawl.has_all_links, loads.unit, loads.loaded_at
    FROM crawl
    JOIN ops.loads AS loads ON loads.source_id = crawl.crawl_id
    WHERE loads.dataset IN ('crawl_pages', 'crawl_requests')
    UNION ALL
    SELECT days.crawl_id, days.project_id, NULL, days.to_date, NULL, NULL, loads.unit, loads.loaded_at
    FROM (
      SELECT DISTINCT project_id, crawl_id, from_date, to_date FROM mart.crawl_days WHERE kind = 'search'
    ) AS days
    JOIN ops.loads AS loads
      ON loads.source_id = days.project_id
      AND CAST(loads.window_from AS DATE) <= days.to_date
      AND CAST(loads.window_to AS DATE) > days.from_date
    WHERE loads.dataset = 'ranking_performance' AND days.crawl_id IS NOT NULL
    UNION ALL
    SELECT days.crawl_id, days.project_id, days.data_date, NULL, NULL, NULL, loads.unit, loads.loaded_at
    FROM mart.crawl_days AS days
    JOIN part ON part.project_id = days.project_id AND part.day = days.data_date AND part.dataset = days.dataset
    JOIN ops.loads AS loads ON loads.unit = part._unit
    WHERE days.kind = 'logs' AND days.crawl_id IS NOT NULL
*/
WITH
  depths AS (
    SELECT
      pages.crawl_id,
      count(pages.depth) > 0 AS has_depth,
      count(pages.depth) + count(pages.nb_inlinks) > 0 AS has_structure
    FROM mart.pages AS pages
    LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = pages.crawl_id
    WHERE coalesce(crawls.has_all_links, true)
    GROUP BY pages.crawl_id
  ),

  named AS (
    SELECT days.crawl_id, days.project_id, hits.url, 1 AS in_logs, 0 AS in_results
    FROM mart.bot_hits AS hits
    JOIN mart.crawl_days AS days
      ON days.project_id = hits.project_id AND days.data_date = hits.day AND days.kind = 'logs'
    WHERE hits.bot_class = 'search' AND days.crawl_id IS NOT NULL

    UNION ALL
    SELECT crawl_id, project_id, url, 1, 0
    FROM mart.page_hits
    WHERE first_seo_visit_date IS NOT NULL AND crawl_id IS NOT NULL

    UNION ALL
    SELECT crawl_id, project_id, url, 0, 1
    FROM mart.page_demand
    WHERE impressions > 0 AND crawl_id IS NOT NULL
  ),

  outside AS (
    SELECT crawl_id, project_id, url, max(in_logs) AS in_logs, max(in_results) AS in_results
    FROM named
    GROUP BY crawl_id, project_id, url
  ),

  orphan AS (
    SELECT
      pages.crawl_id,
      pages.project_id,
      pages.url,
      pages.url_first_path,
      CASE
        WHEN pages.nb_inlinks > 0 THEN 'linked_by_orphans_only'
        WHEN array_length(pages.sources) = 1 AND lower(array_to_string(pages.sources, ',')) LIKE '%sitemap%'
          THEN 'only_in_sitemap'
        WHEN pages.nb_inlinks = 0 THEN 'no_inlinks'
        ELSE 'not_reached'
      END AS reason,
      pages.sources,
      CASE
        WHEN pages.status_code BETWEEN 300 AND 399 THEN 'moved'
        WHEN pages.observation = 'read' THEN 'live'
        WHEN pages.observation_reason = 'blocked_by_robots' THEN 'blocked'
        WHEN pages.observation <> 'not_requested' THEN pages.observation
      END AS state,
      pages.status_code,
      pages.is_indexable,
      pages.depth,
      pages.nb_inlinks
    FROM mart.pages AS pages
    JOIN depths ON depths.crawl_id = pages.crawl_id
    LEFT JOIN mart.projects AS projects ON projects.project_id = pages.project_id
    WHERE (pages.nb_inlinks = 0 OR pages.depth IS NULL AND depths.has_depth)
      AND coalesce(pages.depth, 1) > 0
      AND (
        projects.start_url IS NULL
        OR regexp_replace(pages.url, '/$', '') <> regexp_replace(projects.start_url, '/$', '')
      )
      AND coalesce(lower(array_to_string(pages.sources, ',')), '') NOT LIKE '%crawler%'
      AND NOT pages.is_resource

    UNION ALL
    SELECT
      outside.crawl_id,
      outside.project_id,
      outside.url,
      NULL,
      CASE
        WHEN outside.in_logs = 0 THEN 'only_in_search_results'
        WHEN outside.in_results = 0 THEN 'only_in_logs'
        ELSE 'only_in_logs_and_search_results'
      END,
      NULL,
      CASE
        WHEN rechecks.state = 'unlinked' THEN 'live'
        WHEN rechecks.state IS NOT NULL THEN nullif(rechecks.state, 'unknown')
        WHEN hits.last_status_code BETWEEN 200 AND 299 OR hits.last_status_code = 304 THEN 'live'
        WHEN hits.last_status_code BETWEEN 300 AND 399 THEN 'moved'
        WHEN hits.last_status_code IN (404, 410) THEN 'gone'
        WHEN hits.last_status_code IN (401, 403, 429, 503) THEN 'refused'
        WHEN hits.last_status_code IS NOT NULL THEN 'unreadable'
      END,
      CASE WHEN rechecks.state IS NOT NULL THEN rechecks.status_code ELSE hits.last_status_code END,
      rechecks.is_indexable,
      NULL,
      NULL
    FROM outside
    JOIN depths ON depths.crawl_id = outside.crawl_id AND depths.has_structure
    LEFT JOIN mart.page_hits AS hits ON hits.crawl_id = outside.crawl_id AND hits.url = outside.url
    LEFT JOIN mart.rechecks AS rechecks ON rechecks.crawl_id = outside.crawl_id AND rechecks.url = outside.url
    WHERE NOT EXISTS (
      SELECT 1 FROM mart.pages AS pages WHERE pages.crawl_id = outside.crawl_id AND pages.url = outside.url
    )
      AND regexp_replace(outside.url, '^[A-Za-z]+://[^/]*/robots[.]txt$', '') <> ''
      AND regexp_replace(lower(outside.url), '^[^?#]*([.](css|js|mjs|map|json|webmanifest|xml|rss|atom|png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|woff2?|ttf|otf|eot)|/(feed|rss|atom))/?([?#].*)?$', '') <> ''
  )

SELECT
  crawl_id,
  project_id,
  url,
  crawl_id || ' ' || url AS page_key,
  project_id || ' ' || url AS url_key,
  url_first_path,
  reason,
  sources,
  state,
  status_code,
  is_indexable,
  depth,
  nb_inlinks
FROM orphan
