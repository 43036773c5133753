/*
name: mart.page_actions
kind: view
on_trino: table
description: >-
  What there is to do on the pages of the latest crawls: one row for each page and issue, with why it is one, how much
  it matters and what would mend it (docs/definitions.md). What makes pages unique makes these rows unique, so it is
  tested in mart.pages alone.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  url_first_path: First directory of the URL (mart.pages.url_first_path).
  issue: >-
    server_error, client_error, redirect_loop, redirect_chain, linked_redirect, demand_not_indexable, orphan, duplicate,
    missing_title, missing_h1, missing_description, thin, slow or deep_with_clicks.
  severity: How much the issue matters on any page, high, medium or low.
  priority: How much it matters on this page, 0 to 100, by its demand, its bot hits, its inrank and the severity.
  why: What was found on the page.
  fix: What would mend it.
  status_code: HTTP status of the page (mart.pages.status_code).
  depth: Clicks from the start URL (mart.pages.depth).
  nb_inlinks: Number of links to the page from pages of the site (mart.pages.nb_inlinks).
  inrank_decimal: Popularity by internal links, 0 to 10 (mart.pages.inrank_decimal).
  clicks: Clicks in search results in the last 28 days (mart.page_demand.clicks); NULL where they did not show the page.
  impressions: Times that search results showed it in the same days (mart.page_demand.impressions).
  search_bot_hits: >-
    Requests of search engines for it on the days that go with the crawl (mart.page_hits.search_bot_hits); NULL where
    none is known.
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
    LEFT JOIN mart.page_demand AS demand ON demand.project_id = pages.project_id AND demand.url = pages.url
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
  ),

  page AS (
    SELECT
      pages.crawl_id,
      pages.project_id,
      pages.url,
      pages.url_first_path,
      pages.status_code,
      pages.is_indexable,
      pages.non_indexable_reason,
      pages.depth,
      pages.nb_inlinks,
      pages.inrank_decimal,
      pages.redirect_count,
      coalesce(pages.is_redirect_loop, false) OR coalesce(pages.is_too_many_redirects, false) AS is_endless,
      pages.title_evaluation,
      pages.h1_evaluation,
      pages.description_evaluation,
      pages.has_duplicate_title_issue
        OR pages.has_duplicate_h1_issue
        OR pages.has_duplicate_description_issue
        OR pages.has_nearduplicate_issue AS is_duplicate,
      pages.word_count,
      pages.load_time,
      orphans.reason AS orphan_reason,
      demand.clicks,
      demand.impressions,
      hits.search_bot_hits,
      50 * by_impressions.percent_rank + 30 * by_hits.percent_rank + 20 * by_inrank.percent_rank AS page_value
    FROM mart.pages AS pages
    JOIN latest ON latest.crawl_id = pages.crawl_id
    LEFT JOIN (
      SELECT crawl_id, url, reason
      FROM mart.orphans
      WHERE crawl_id IN (SELECT crawl_id FROM latest)
    ) AS orphans ON orphans.crawl_id = pages.crawl_id AND orphans.url = pages.url
    LEFT JOIN mart.page_demand AS demand ON demand.project_id = pages.project_id AND demand.url = pages.url
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
  ),

  issue AS (
    SELECT issue, severity, weight, fix
    FROM (VALUES
      ('server_error', 'high', 1.0, 'Find out why the server fails, and mend it'),
      ('client_error', 'high', 1.0, 'Bring the page back or redirect it, and take away the links to it'),
      ('redirect_loop', 'high', 1.0, 'Let the redirect lead to a page that answers'),
      ('redirect_chain', 'medium', 0.6, 'Let the first redirect lead to the final URL'),
      ('linked_redirect', 'low', 0.3, 'Let the links lead to the final URL'),
      ('demand_not_indexable', 'high', 1.0, 'Allow the page to be indexed, or redirect it to one that is'),
      ('orphan', 'medium', 0.6, 'Link to the page from pages of its subject, or take it away'),
      ('duplicate', 'medium', 0.6, 'Give the page texts of its own, or a canonical'),
      ('missing_title', 'medium', 0.6, 'Write a title'),
      ('missing_h1', 'low', 0.3, 'Write an H1'),
      ('missing_description', 'low', 0.3, 'Write a description'),
      ('thin', 'low', 0.3, 'Write more, or join the page with another one'),
      ('slow', 'medium', 0.6, 'Make the server answer faster, or the page smaller'),
      ('deep_with_clicks', 'medium', 0.6, 'Link to the page from pages nearer to the start')
    ) AS issues(issue, severity, weight, fix)
  )

SELECT
  page.crawl_id,
  page.project_id,
  page.url,
  page.crawl_id || ' ' || page.url AS page_key,
  page.project_id || ' ' || page.url AS url_key,
  page.url_first_path,
  issue.issue,
  issue.severity,
  CAST(round(CAST(page.page_value * issue.weight AS DECIMAL(38, 9))) AS INTEGER) AS priority,
  CASE issue.issue
    WHEN 'redirect_loop' THEN 'redirects without an end'
    WHEN 'redirect_chain' THEN CAST(page.redirect_count AS VARCHAR) || ' redirects in a row'
    WHEN 'demand_not_indexable'
      THEN 'not indexable (' || page.non_indexable_reason || '), with ' || CAST(page.impressions AS VARCHAR) || ' impressions'
    WHEN 'orphan'
      THEN CASE page.orphan_reason
        WHEN 'linked_by_orphans_only' THEN 'only orphans link to it'
        WHEN 'only_in_sitemap' THEN 'only a sitemap names it'
        ELSE 'no link leads to it'
      END
    WHEN 'duplicate' THEN 'shares its texts with other pages'
    WHEN 'missing_title' THEN 'no title'
    WHEN 'missing_h1' THEN 'no H1'
    WHEN 'missing_description' THEN 'no description'
    WHEN 'thin' THEN CAST(page.word_count AS VARCHAR) || ' words'
    WHEN 'slow' THEN CAST(page.load_time AS VARCHAR) || ' ms to the last byte'
    WHEN 'deep_with_clicks' THEN CAST(page.depth AS VARCHAR) || ' clicks from the start'
    ELSE 'HTTP status ' || CAST(page.status_code AS VARCHAR)
  END AS why,
  issue.fix,
  page.status_code,
  page.depth,
  page.nb_inlinks,
  page.inrank_decimal,
  page.clicks,
  page.impressions,
  page.search_bot_hits
FROM page
CROSS JOIN issue
WHERE CASE issue.issue
  WHEN 'server_error' THEN page.non_indexable_reason = 'server_error'
  WHEN 'client_error'
    THEN page.non_indexable_reason = 'client_error'
      AND (page.nb_inlinks > 0 OR page.impressions > 0 OR page.search_bot_hits > 0)
  WHEN 'redirect_loop' THEN page.is_endless
  WHEN 'redirect_chain' THEN page.redirect_count > 1 AND NOT page.is_endless
  WHEN 'linked_redirect' THEN page.non_indexable_reason = 'redirect' AND page.nb_inlinks > 0
  WHEN 'demand_not_indexable'
    THEN page.non_indexable_reason NOT IN ('redirect', 'client_error', 'server_error') AND page.impressions > 0
  WHEN 'orphan' THEN page.is_indexable AND page.orphan_reason IS NOT NULL
  WHEN 'duplicate' THEN page.is_indexable AND page.is_duplicate
  WHEN 'missing_title' THEN page.is_indexable AND page.title_evaluation = 'not_set'
  WHEN 'missing_h1' THEN page.is_indexable AND page.h1_evaluation = 'not_set'
  WHEN 'missing_description' THEN page.is_indexable AND page.description_evaluation = 'not_set'
  WHEN 'thin' THEN page.is_indexable AND page.word_count < 300
  WHEN 'slow' THEN page.status_code = 200 AND page.load_time > 1000
  WHEN 'deep_with_clicks' THEN page.is_indexable AND page.depth > 3 AND page.clicks > 0
END
