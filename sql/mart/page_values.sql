/*
name: mart.page_values
kind: table
description: >-
  The value of each page of the latest crawls among all pages of its crawl, by demand, bot hits and links
  (docs/definitions.md). The test of mart.pages also proves that these rows are unique.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  url_first_path: First directory of the URL (mart.pages.url_first_path).
  status_code: HTTP status of the page (mart.pages.status_code).
  depth: Clicks from the start URL (mart.pages.depth).
  nb_inlinks: Number of links to the page from pages of the site (mart.pages.nb_inlinks).
  inrank_decimal: Popularity by internal links, 0 to 10 (mart.pages.inrank_decimal).
  clicks: >-
    Clicks in search results on the days that belong to the crawl (mart.page_demand.clicks); NULL if they did not show
    the page.
  impressions: Times that search results showed the page on the same days (mart.page_demand.impressions).
  search_bot_hits: >-
    Requests of search engines for the page on the days that belong to the crawl (mart.page_hits.search_bot_hits); NULL
    if none is known.
  page_value: >-
    0 to 100: up to 50 for impressions, 30 for hits of search engines and 20 for inrank, each multiplied by the share of
    the crawl's other pages that have less. An unknown part is left out, and the other parts count for more; NULL if
    none is known.
incremental:
  by: crawl_id
  within: [mart.pages, mart.page_demand, mart.page_hits]
  partitions: |
    SELECT sources.crawl_id, sources.source, sources.loaded_at
    FROM mart.issue_sources AS sources
    JOIN mart.crawls AS crawls ON crawls.crawl_id = sources.crawl_id
    WHERE crawls.is_latest
*/
WITH
  -- The value of a page without a row: 0 where the crawl has search results or log files, else unknown.
  latest AS (
    SELECT
      crawls.crawl_id,
      CASE WHEN whole.impressions IS NOT NULL THEN 0 END AS no_impressions,
      CASE WHEN whole.log_days > 0 THEN 0 END AS no_hits
    FROM mart.crawls AS crawls
    LEFT JOIN mart.crawl_segments AS whole ON whole.crawl_id = crawls.crawl_id AND whole.segmentation = '(site)'
    WHERE crawls.is_latest
  ),

  measure AS (
    SELECT
      pages.crawl_id,
      CASE WHEN demand.url IS NULL THEN latest.no_impressions ELSE demand.impressions END AS impressions,
      CASE WHEN hits.url IS NULL THEN latest.no_hits ELSE hits.search_bot_hits END AS search_bot_hits,
      pages.inrank_decimal
    FROM mart.pages AS pages
    JOIN latest ON latest.crawl_id = pages.crawl_id
    LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
    LEFT JOIN (
      SELECT crawl_id, url, search_bot_hits
      FROM mart.page_hits
      WHERE crawl_id IN (SELECT crawl_id FROM latest)
    ) AS hits ON hits.crawl_id = pages.crawl_id AND hits.url = pages.url
  ),

  -- The number of pages with each value, in one pass over the pages.
  counted AS (
    SELECT
      crawl_id,
      impressions,
      search_bot_hits,
      inrank_decimal,
      grouping(impressions, search_bot_hits, inrank_decimal) AS measured,
      count(*) AS pages
    FROM measure
    GROUP BY GROUPING SETS ((crawl_id, impressions), (crawl_id, search_bot_hits), (crawl_id, inrank_decimal))
  ),

  -- percent_rank() of each known value within its crawl. Windows over the pages would sort them three times.
  ranked AS (
    SELECT
      crawl_id,
      impressions,
      search_bot_hits,
      inrank_decimal,
      coalesce(
        CAST(sum(pages) OVER below - pages AS DOUBLE) / nullif(sum(pages) OVER (PARTITION BY crawl_id, measured) - 1, 0), 0
      ) AS percent_rank
    FROM counted
    WHERE impressions IS NOT NULL OR search_bot_hits IS NOT NULL OR inrank_decimal IS NOT NULL
    WINDOW below AS (PARTITION BY crawl_id, measured ORDER BY impressions, search_bot_hits, inrank_decimal)
  )

SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  pages.page_key,
  pages.url_key,
  pages.url_first_path,
  pages.status_code,
  pages.depth,
  pages.nb_inlinks,
  pages.inrank_decimal,
  demand.clicks,
  demand.impressions,
  hits.search_bot_hits,
  CAST(100 AS DOUBLE) / nullif(
    CASE WHEN by_impressions.percent_rank IS NULL THEN 0 ELSE 50 END
      + CASE WHEN by_hits.percent_rank IS NULL THEN 0 ELSE 30 END
      + CASE WHEN by_inrank.percent_rank IS NULL THEN 0 ELSE 20 END,
    0
  ) * (
    50 * coalesce(by_impressions.percent_rank, 0)
      + 30 * coalesce(by_hits.percent_rank, 0)
      + 20 * coalesce(by_inrank.percent_rank, 0)
  ) AS page_value
FROM mart.pages AS pages
JOIN latest ON latest.crawl_id = pages.crawl_id
LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
LEFT JOIN (
  SELECT crawl_id, url, search_bot_hits
  FROM mart.page_hits
  WHERE crawl_id IN (SELECT crawl_id FROM latest)
) AS hits ON hits.crawl_id = pages.crawl_id AND hits.url = pages.url
LEFT JOIN ranked AS by_impressions
  ON by_impressions.crawl_id = pages.crawl_id
  AND by_impressions.impressions = CASE WHEN demand.url IS NULL THEN latest.no_impressions ELSE demand.impressions END
LEFT JOIN ranked AS by_hits
  ON by_hits.crawl_id = pages.crawl_id
  AND by_hits.search_bot_hits = CASE WHEN hits.url IS NULL THEN latest.no_hits ELSE hits.search_bot_hits END
LEFT JOIN ranked AS by_inrank ON by_inrank.crawl_id = pages.crawl_id AND by_inrank.inrank_decimal = pages.inrank_decimal
