/*
name: mart.pages_wide
kind: view
description: >-
  One row for each page of the latest crawls, with its search results, log data, main segment and changes since the
  previous crawl, as one table for BI tools. The test of mart.pages also proves that these rows are unique.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  project_name: Name of its project (mart.crawls.project_name).
  crawl_config_name: Name of its crawl configuration (mart.crawls.crawl_config_name).
  is_main: Whether questions about the project use this crawl (mart.crawls.is_main).
  crawl_ended_at: When the crawl ended, a point in time (mart.crawls.ended_at).
  url: Full URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  url_host: Host of the URL (mart.pages.url_host).
  url_first_path: First directory of the URL (mart.pages.url_first_path).
  main_segmentation: >-
    The first of the project's segmentations, by name, in which the page has a segment; (directory) if there is none
    (mart.page_groups).
  main_segment: >-
    The page's segment in that segmentation, the first by name if there are several; the first directory of the URL if
    there is none.
  status_code: HTTP status (mart.pages.status_code).
  is_indexable: Whether a search engine may index the page (mart.pages.is_indexable).
  non_indexable_reason: The first reason why the page is not indexable (mart.pages.non_indexable_reason).
  canonical_kind: not_set, self, slash, scheme, case, host or path (mart.pages.canonical_kind).
  depth: Clicks from the start URL (mart.pages.depth).
  nb_inlinks: Number of links to the page from pages of the site (mart.pages.nb_inlinks).
  inrank_decimal: Popularity by internal links, 0 to 10 (mart.pages.inrank_decimal).
  title: Content of the title tag (mart.pages.title).
  h1: Content of the h1 tag (mart.pages.h1).
  meta_description: Content of the description meta tag (mart.pages.meta_description).
  word_count: Number of words (mart.pages.word_count).
  load_time: Time to the last byte, in milliseconds (mart.pages.load_time).
  clicks: >-
    Clicks in search results on the days that belong to the crawl (mart.page_demand.clicks); NULL if they did not show
    the page.
  impressions: Times that search results showed the page on the same days (mart.page_demand.impressions).
  ctr: Clicks per impression, 0 to 1 (mart.page_demand.ctr).
  average_position: Average position, 1 is the first (mart.page_demand.average_position).
  top_query: The query with the most impressions (mart.page_demand.top_query).
  hits: >-
    Requests for the page on the days that belong to the crawl (mart.page_hits.hits); NULL if the page is not in the log
    files.
  search_bot_hits: Number of requests by search engines (mart.page_hits.search_bot_hits).
  visits: Number of requests by people (mart.page_hits.visits).
  seo_visits: Number of visits from the results of a search engine (mart.page_hits.seo_visits).
  is_added: Whether the previous crawl did not have the page; NULL without a previous crawl (mart.page_changes).
  changed_fields: >-
    Fields that differ from the previous crawl, in alphabetical order, separated by commas; NULL if none does
    (mart.page_changes.change).
renamed: {position: average_position}
*/
WITH
  latest AS (
    SELECT crawl_id, project_name, crawl_config_name, is_main, ended_at, previous_crawl_id
    FROM mart.crawls
    WHERE is_latest
  ),

  main_segment AS (
    SELECT crawl_id, url, segmentation, segment
    FROM (
      SELECT
        segments.crawl_id,
        segments.url,
        segments.segmentation,
        segments.segment,
        row_number() OVER (
          PARTITION BY segments.crawl_id, segments.url ORDER BY segments.segmentation, segments.segment
        ) AS place
      FROM mart.page_groups AS segments
      JOIN latest ON latest.crawl_id = segments.crawl_id
      WHERE segments.segment IS NOT NULL
    ) AS ranked
    WHERE place = 1
  ),

  changed AS (
    SELECT
      changes.crawl_id,
      changes.url,
      count(CASE WHEN changes.change = 'added' THEN 1 END) AS added,
      array_to_string(
        array_agg(changes.change ORDER BY changes.change) FILTER (WHERE changes.change <> 'added'), ', '
      ) AS changed_fields
    FROM mart.page_changes AS changes
    JOIN latest ON latest.crawl_id = changes.crawl_id
    WHERE changes.change <> 'removed'
    GROUP BY changes.crawl_id, changes.url
  )

SELECT
  pages.crawl_id,
  pages.project_id,
  latest.project_name,
  latest.crawl_config_name,
  latest.is_main,
  latest.ended_at AS crawl_ended_at,
  pages.url,
  pages.page_key,
  pages.url_key,
  pages.url_host,
  pages.url_first_path,
  coalesce(main_segment.segmentation, '(directory)') AS main_segmentation,
  CASE WHEN main_segment.url IS NULL THEN pages.url_first_path ELSE main_segment.segment END AS main_segment,
  pages.status_code,
  pages.is_indexable,
  pages.non_indexable_reason,
  pages.canonical_kind,
  pages.depth,
  pages.nb_inlinks,
  pages.inrank_decimal,
  pages.title,
  pages.h1,
  pages.meta_description,
  pages.word_count,
  pages.load_time,
  demand.clicks,
  demand.impressions,
  demand.ctr,
  demand.average_position,
  demand.top_query,
  hits.hits,
  hits.search_bot_hits,
  hits.visits,
  hits.seo_visits,
  CASE WHEN latest.previous_crawl_id IS NOT NULL THEN coalesce(changed.added, 0) > 0 END AS is_added,
  changed.changed_fields
FROM mart.pages AS pages
JOIN latest ON latest.crawl_id = pages.crawl_id
LEFT JOIN main_segment ON main_segment.crawl_id = pages.crawl_id AND main_segment.url = pages.url
LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = pages.crawl_id AND demand.url = pages.url
LEFT JOIN mart.page_hits AS hits ON hits.crawl_id = pages.crawl_id AND hits.url = pages.url
LEFT JOIN changed ON changed.crawl_id = pages.crawl_id AND changed.url = pages.url
