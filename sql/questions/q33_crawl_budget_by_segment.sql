/*
title: Crawl budget by segment
task: Bots and crawl budget
model: mart.page_hits
description: >-
  Each row is a first directory, (directory), or a segment of the chosen segmentation, with the requests of search
  engine bots. Covers the days of the main crawl of each project, or of the chosen crawl (mart.crawl_days). Requests
  whose address refutes the claimed bot do not count. Hits are divided into hits on pages that were indexable at the
  time, on pages that were not, on pages whose indexability is unknown (mart.crawl_budget), and on URLs that the crawl
  does not know. Such a URL has a first directory and no other segment. The row without a segment covers everything
  outside segments. Hits percent is the share of all hits of the crawl. The other percentages are shares of the hits of
  the segment. A total is NULL if the value is unknown for one of the URLs. The chosen segment is a first directory or a
  segment of the project's own segmentations.
parameters: [project, crawl, segmentation, segment, limit]
needs: [pages, logs]
chart: {kind: bar, x: segment, y: search_bot_hits, each: [project_name, from_date, crawl_id, segmentation]}
*/
WITH
  logged AS (
    SELECT DISTINCT crawls.project_id, crawls.project_name, crawls.crawl_id, days.from_date, days.to_date
    FROM mart.crawls AS crawls
    JOIN mart.crawl_days AS days ON days.crawl_id = crawls.crawl_id AND days.kind = 'logs'
    WHERE ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
      AND ($crawl IS NULL AND crawls.is_main OR crawls.crawl_id = $crawl)
      AND (
        $segmentation IS NULL
        OR crawls.crawl_id IN (SELECT crawl_id FROM mart.crawl_segments WHERE segmentation = $segmentation)
      )
  ),

  member AS (
    SELECT crawl_id, url, segment
    FROM mart.page_segments
    WHERE segmentation = $segmentation AND crawl_id IN (SELECT crawl_id FROM logged)
  ),

  page AS (
    SELECT
      pages.crawl_id,
      pages.url,
      pages.page_key,
      CASE coalesce($segmentation, '(directory)')
        WHEN '(directory)' THEN pages.url_first_path
        WHEN '(site)' THEN '(site)'
        ELSE member.segment
      END AS segment
    FROM mart.pages AS pages
    LEFT JOIN member ON member.crawl_id = pages.crawl_id AND member.url = pages.url
    WHERE pages.crawl_id IN (SELECT crawl_id FROM logged)
  ),

  hit AS (
    SELECT
      hits.crawl_id, hits.url, hits.search_bot_hits, budget.indexable_hits, budget.non_indexable_hits, budget.untold_hits
    FROM mart.page_hits AS hits
    LEFT JOIN mart.crawl_budget AS budget ON budget.crawl_id = hits.crawl_id AND budget.url = hits.url
    WHERE hits.crawl_id IN (SELECT crawl_id FROM logged)
  ),

  asked AS (
    SELECT
      coalesce(page.crawl_id, hit.crawl_id) AS crawl_id,
      page.url IS NOT NULL AS is_crawled,
      page.page_key,
      CASE
        WHEN page.url IS NOT NULL OR $segmentation NOT IN ('(directory)', '(site)') THEN page.segment
        WHEN $segmentation = '(site)' THEN '(site)'
        WHEN split_part(split_part(hit.url, '?', 1), '#', 1) LIKE '%://%/%/%' THEN '/' || split_part(hit.url, '/', 4) || '/'
        ELSE '/'
      END AS segment,
      hit.url IS NOT NULL AND hit.search_bot_hits IS NULL AS is_unknown,
      coalesce(hit.search_bot_hits, 0) AS hits,
      coalesce(hit.indexable_hits, 0) AS indexable_hits,
      coalesce(hit.non_indexable_hits, 0) AS non_indexable_hits,
      coalesce(hit.untold_hits, 0) AS untold_hits
    FROM page
    FULL JOIN hit ON hit.crawl_id = page.crawl_id AND hit.url = page.url
  ),

  whole AS (
    SELECT crawl_id, CASE WHEN count(search_bot_hits) = count(*) THEN sum(search_bot_hits) END AS hits
    FROM mart.page_hits
    WHERE crawl_id IN (SELECT crawl_id FROM logged)
    GROUP BY crawl_id
  ),

  counted AS (
    SELECT
      crawl_id,
      segment,
      count(CASE WHEN is_crawled THEN 1 END) AS pages,
      CASE WHEN count(CASE WHEN is_unknown THEN 1 END) = 0 THEN CAST(sum(hits) AS BIGINT) END AS search_bot_hits,
      CASE WHEN count(CASE WHEN is_unknown AND is_crawled THEN 1 END) = 0 THEN CAST(sum(indexable_hits) AS BIGINT) END
        AS indexable_hits,
      CASE WHEN count(CASE WHEN is_unknown AND is_crawled THEN 1 END) = 0 THEN CAST(sum(non_indexable_hits) AS BIGINT) END
        AS non_indexable_hits,
      CASE WHEN count(CASE WHEN is_unknown AND is_crawled THEN 1 END) = 0 THEN CAST(sum(untold_hits) AS BIGINT) END
        AS untold_hits,
      CASE
        WHEN count(CASE WHEN is_unknown AND NOT is_crawled THEN 1 END) = 0
          THEN CAST(coalesce(sum(CASE WHEN NOT is_crawled THEN hits END), 0) AS BIGINT)
      END AS uncrawled_hits
    FROM asked
    WHERE $segment IS NULL
      OR $segment IN (segment, coalesce($segmentation, '(directory)') || ':' || segment)
      OR ($segmentation IS NULL AND page_key IN (SELECT page_key FROM mart.page_segments WHERE $segment IN (segment, segmentation || ':' || segment)))
    GROUP BY crawl_id, segment
  )

SELECT
  project_name,
  crawl_id,
  from_date,
  to_date,
  coalesce($segmentation, '(directory)') AS segmentation,
  segment,
  pages,
  search_bot_hits,
  hits_percent,
  indexable_hits,
  indexable_percent,
  non_indexable_hits,
  untold_hits,
  uncrawled_hits
FROM (
  SELECT
    logged.project_name,
    logged.from_date,
    logged.to_date,
    counted.*,
    CAST(round(CAST(CAST(100 * counted.search_bot_hits AS DOUBLE) / nullif(whole.hits, 0) AS DECIMAL(38, 9)), 1) AS DOUBLE)
      AS hits_percent,
    CAST(
      round(
        CAST(CAST(100 * counted.indexable_hits AS DOUBLE) / nullif(counted.search_bot_hits, 0) AS DECIMAL(38, 9)), 1
      ) AS DOUBLE
    ) AS indexable_percent,
    row_number() OVER (
      PARTITION BY logged.project_id ORDER BY counted.crawl_id, counted.search_bot_hits DESC, counted.pages DESC, counted.segment
    ) AS place
  FROM counted
  JOIN logged ON logged.crawl_id = counted.crawl_id
  LEFT JOIN whole ON whole.crawl_id = counted.crawl_id
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, search_bot_hits DESC, pages DESC, segment
