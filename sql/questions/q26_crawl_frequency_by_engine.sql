/*
title: How often each search engine crawls each segment
task: Bots and crawl budget
model: mart.bot_hits
description: >-
  Each row is a search engine and a first directory of the crawl, with the hits of its bots. There is a row for each
  engine that visited and each segment, even without hits, and a row for URLs that the crawl does not know (is_in_crawl
  is NULL without a crawl). Covers the days of the main crawl or of the chosen crawl (mart.crawl_days), or the chosen
  days. The chosen segment, a first directory or a segment of the project's own segmentations, limits this to its pages.
  Days between hits is an average over the requested pages. The service's daily counts do not contain the engine. If the
  address of a request refutes its claim to be a search engine's bot, the engine is unverified.
parameters: [project, crawl, segment, from, to, limit]
needs: [logs]
chart: {kind: bar, x: url_first_path, y: hits, each: [project_name, crawl_id, engine]}
*/
WITH
  main AS (
    SELECT project_id, crawl_id, crawl_config_name
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

  period AS (
    SELECT project_id, min(from_date) AS from_date, max(to_date) AS to_date, count(*) AS days
    FROM logged
    GROUP BY project_id
  ),

  asked AS (
    SELECT project_id, engine, url, sum(hits) AS hits
    FROM (
      SELECT
        hits.project_id,
        CASE WHEN hits.bot_class = 'unverified' THEN 'unverified' ELSE hits.engine END AS engine,
        hits.url,
        hits.hits
      FROM mart.bot_hits AS hits
      JOIN logged ON logged.project_id = hits.project_id AND logged.day = hits.day
      WHERE hits.bot_class = 'search'
        OR hits.bot_class = 'unverified' AND hits.crawler IN (SELECT crawler FROM mart.bots WHERE bot_class = 'search')
    ) AS told
    GROUP BY project_id, engine, url
  ),

  segment AS (
    SELECT main.project_id, true AS is_in_crawl, pages.url_first_path, count(*) AS pages
    FROM main
    JOIN mart.pages AS pages ON pages.crawl_id = main.crawl_id
    WHERE $segment IS NULL
      OR $segment IN (pages.url_first_path, '(directory):' || pages.url_first_path)
      OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
    GROUP BY main.project_id, pages.url_first_path
    UNION ALL
    SELECT DISTINCT project_id, false, CAST(NULL AS VARCHAR), CAST(NULL AS BIGINT)
    FROM asked
    WHERE $segment IS NULL
  ),

  engine AS (
    SELECT DISTINCT project_id, engine
    FROM asked
  ),

  counted AS (
    SELECT
      asked.project_id,
      asked.engine,
      pages.url IS NOT NULL AS is_in_crawl,
      pages.url_first_path,
      count(*) AS crawled_pages,
      sum(asked.hits) AS hits
    FROM asked
    LEFT JOIN main ON main.project_id = asked.project_id
    LEFT JOIN mart.pages AS pages ON pages.crawl_id = main.crawl_id AND pages.url = asked.url
    WHERE $segment IS NULL
      OR $segment IN (pages.url_first_path, '(directory):' || pages.url_first_path)
      OR pages.page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment))
    GROUP BY asked.project_id, asked.engine, pages.url IS NOT NULL, pages.url_first_path
  ),

  answer AS (
    SELECT
      projects.project_name,
      engine.project_id,
      main.crawl_config_name,
      main.crawl_id,
      period.from_date,
      period.to_date,
      period.days,
      engine.engine,
      CASE WHEN main.crawl_id IS NOT NULL THEN segment.is_in_crawl END AS is_in_crawl,
      segment.url_first_path,
      segment.pages,
      coalesce(counted.crawled_pages, 0) AS crawled_pages,
      CAST(round(CAST(CAST(100 * coalesce(counted.crawled_pages, 0) AS DOUBLE) / segment.pages AS DECIMAL(38, 9)), 1) AS DOUBLE)
        AS crawled_percent,
      CAST(coalesce(counted.hits, 0) AS BIGINT) AS hits,
      CAST(round(CAST(CAST(coalesce(counted.hits, 0) AS DOUBLE) / period.days AS DECIMAL(38, 9)), 2) AS DOUBLE) AS hits_per_day,
      CAST(round(CAST(CAST(period.days * counted.crawled_pages AS DOUBLE) / counted.hits AS DECIMAL(38, 9)), 1) AS DOUBLE)
        AS days_between_hits
    FROM engine
    JOIN period ON period.project_id = engine.project_id
    JOIN segment ON segment.project_id = engine.project_id
    LEFT JOIN counted
      ON counted.project_id = engine.project_id
      AND coalesce(counted.engine, '') = coalesce(engine.engine, '')
      AND counted.is_in_crawl = segment.is_in_crawl
      AND coalesce(counted.url_first_path, '') = coalesce(segment.url_first_path, '')
    LEFT JOIN main ON main.project_id = engine.project_id
    LEFT JOIN mart.projects AS projects ON projects.project_id = engine.project_id
    WHERE (segment.is_in_crawl OR counted.hits > 0)
      AND ($project IS NULL OR engine.project_id = $project OR projects.project_name = $project)
      AND ($crawl IS NULL OR main.crawl_id IS NOT NULL)
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  from_date,
  to_date,
  days,
  engine,
  is_in_crawl,
  url_first_path,
  pages,
  crawled_pages,
  crawled_percent,
  hits,
  hits_per_day,
  days_between_hits
FROM (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY project_id ORDER BY engine, hits DESC, is_in_crawl DESC, url_first_path
    ) AS place
  FROM answer
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, project_id, engine, hits DESC, is_in_crawl DESC, url_first_path
