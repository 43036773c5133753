/*
name: mart.page_values
kind: view
materialize: table
description: >-
  What each page of the latest crawls is worth among all pages of its crawl, by demand, hits of bots and links
  (docs/definitions.md). What makes pages unique makes these rows unique, so it is tested in mart.pages alone.
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
    Clicks in search results on the days that belong to the crawl (mart.page_demand.clicks); NULL where they did not show
    the page.
  impressions: Times that search results showed it in the same days (mart.page_demand.impressions).
  search_bot_hits: >-
    Requests of search engines for it on the days that belong to the crawl (mart.page_hits.search_bot_hits); NULL where
    none is known.
  page_value: >-
    0 to 100: 50 for more impressions than all other pages of the crawl, 30 for more hits of search engines, 20 for more
    inrank, and of each the share of the pages that have less.
*/
WITH
  latest AS (
    SELECT crawl_id
    FROM mart.crawls
    WHERE is_latest
  ),

  measure AS (
    SELECT
      pages.crawl_id,
      coalesce(demand.impressions, 0) AS impressions,
      coalesce(hits.search_bot_hits, 0) AS search_bot_hits,
      coalesce(pages.inrank_decimal, 0) AS inrank_decimal
    FROM mart.pages AS pages
    JOIN latest ON latest.crawl_id = pages.crawl_id
    LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
    LEFT JOIN (
      SELECT crawl_id, url, search_bot_hits
      FROM mart.page_hits
      WHERE search_bot_hits > 0 AND crawl_id IN (SELECT crawl_id FROM latest)
    ) AS hits ON hits.crawl_id = pages.crawl_id AND hits.url = pages.url
  ),

  -- How many pages have each value, in one pass over the pages.
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

  -- percent_rank() of each value among the pages of its crawl. Windows over the pages would sort them three times.
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
  50 * by_impressions.percent_rank + 30 * by_hits.percent_rank + 20 * by_inrank.percent_rank AS page_value
FROM mart.pages AS pages
JOIN latest ON latest.crawl_id = pages.crawl_id
LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
LEFT JOIN (
  SELECT crawl_id, url, search_bot_hits
  FROM mart.page_hits
  WHERE crawl_id IN (SELECT crawl_id FROM latest)
) AS hits ON hits.crawl_id = pages.crawl_id AND hits.url = pages.url
JOIN ranked AS by_impressions
  ON by_impressions.crawl_id = pages.crawl_id AND by_impressions.impressions = coalesce(demand.impressions, 0)
JOIN ranked AS by_hits
  ON by_hits.crawl_id = pages.crawl_id AND by_hits.search_bot_hits = coalesce(hits.search_bot_hits, 0)
JOIN ranked AS by_inrank
  ON by_inrank.crawl_id = pages.crawl_id AND by_inrank.inrank_decimal = coalesce(pages.inrank_decimal, 0)
