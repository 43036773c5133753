/*
name: mart.urls
kind: view
description: >-
  One row for each project and URL from its crawls, log files or search results, with the parts of the URL and a normal
  form that different spellings of the URL share (docs/definitions.md). Grouping makes the rows unique, so no test
  checks that.
grain: null
columns:
  url_key: The project's identifier, a space and the URL, as a key of one column; NULL if the project is unknown.
  project_id: Identifier of the project.
  url: The URL, unchanged.
  scheme: Scheme in lowercase, such as https; empty without one.
  host: Host with its port, in lowercase; empty without a scheme.
  path: Path from its first slash, unchanged; / where there is none.
  query: The text after the question mark, without the fragment; empty without one.
  normal_url: >-
    The URL in its normal form, in lowercase, without fragment, trailing slash and tracking parameters, with the other
    parameters in alphabetical order.
  spellings: Number of URLs of the project with this normal form.
  has_params: Whether the URL has a query.
  has_uppercase: Whether its path has an uppercase letter, also in a percent-encoding.
  has_trailing_slash: Whether its path ends in a slash and is longer than one slash.
  is_crawled: Whether a crawl knows it as a page (mart.pages); NULL if the project has no pages of a crawl.
  is_in_logs: Whether the log files contain it (mart.log_url_days); NULL if the project has none.
  is_ranked: >-
    Whether search results showed it (mart.ranking_performance, mart.ranking_periods); NULL if the project has none.
reads:
  ops.loads:
    dataset: VARCHAR
    project_id: VARCHAR
    loaded: BIGINT
*/
WITH
  known AS (
    SELECT project_id, url, 1 AS crawled, 0 AS in_logs, 0 AS ranked
    FROM mart.pages

    UNION ALL
    SELECT project_id, url, 0, 1, 0
    FROM mart.log_url_days

    UNION ALL
    SELECT project_id, url, 0, 0, 1
    FROM mart.ranking_performance

    UNION ALL
    SELECT project_id, url, 0, 0, 1
    FROM mart.ranking_periods
  ),

  named AS (
    SELECT
      project_id,
      url,
      split_part(url, '#', 1) AS bare_url,
      max(crawled) AS crawled,
      max(in_logs) AS in_logs,
      max(ranked) AS ranked
    FROM known
    WHERE url IS NOT NULL
    GROUP BY project_id, url
  ),

  schemed AS (
    SELECT
      project_id,
      url,
      crawled,
      in_logs,
      ranked,
      CASE WHEN strpos(bare_url, '://') > 0 THEN lower(split_part(bare_url, '://', 1)) ELSE '' END AS scheme,
      CASE WHEN strpos(bare_url, '://') > 0 THEN substr(bare_url, strpos(bare_url, '://') + 3) ELSE bare_url END AS rest
    FROM named
  ),

  -- The text before the first ?, and the text after it.
  halved AS (
    SELECT
      project_id,
      url,
      crawled,
      in_logs,
      ranked,
      scheme,
      split_part(rest, '?', 1) AS place,
      CASE WHEN strpos(rest, '?') > 0 THEN substr(rest, strpos(rest, '?') + 1) ELSE '' END AS query
    FROM schemed
  ),

  parts AS (
    SELECT
      project_id,
      url,
      crawled,
      in_logs,
      ranked,
      scheme,
      CASE WHEN scheme = '' THEN '' ELSE lower(split_part(place, '/', 1)) END AS host,
      CASE
        WHEN scheme = '' THEN place
        WHEN strpos(place, '/') > 0 THEN substr(place, strpos(place, '/'))
        ELSE '/'
      END AS path,
      query
    FROM halved
  ),

  parameters AS (
    SELECT
      parts.project_id,
      parts.url,
      array_to_string(array_agg(lower(pairs.pair) ORDER BY lower(pairs.pair)), '&') AS query
    FROM parts
    CROSS JOIN UNNEST(split(parts.query, '&')) AS pairs(pair)
    WHERE parts.query <> ''
      AND pairs.pair <> ''
      AND NOT starts_with(lower(pairs.pair), 'utm_')
      AND lower(split_part(pairs.pair, '=', 1)) NOT IN (
        'gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'fbclid', 'msclkid', 'yclid', 'ttclid', 'twclid', 'mc_cid', 'mc_eid'
      )
    GROUP BY parts.project_id, parts.url
  ),

  normal AS (
    SELECT
      parts.project_id,
      parts.url,
      parts.crawled,
      parts.in_logs,
      parts.ranked,
      parts.scheme,
      parts.host,
      parts.path,
      parts.query,
      replace(replace(replace(replace(
        CASE WHEN parts.scheme = '' THEN '' ELSE parts.scheme || '://' || parts.host END
          || CASE
            WHEN parts.path LIKE '_%/' THEN lower(substr(parts.path, 1, length(parts.path) - 1))
            ELSE lower(parts.path)
          END
          || CASE WHEN parameters.query IS NULL THEN '' ELSE '?' || parameters.query END,
        '%2d', '-'), '%2e', '.'), '%5f', '_'), '%7e', '~') AS normal_url
    FROM parts
    LEFT JOIN parameters
      ON parameters.url = parts.url AND parameters.project_id IS NOT DISTINCT FROM parts.project_id
  ),

  loaded AS (
    SELECT
      project_id,
      bool_or(dataset = 'crawl_pages') AS has_pages,
      bool_or(dataset IN ('log_events', 'log_pages_days')) AS has_logs,
      bool_or(dataset = 'ranking_performance') AS has_results
    FROM ops.loads
    WHERE coalesce(loaded, 1) > 0
    GROUP BY project_id
  )

SELECT
  normal.project_id || ' ' || url AS url_key,
  normal.project_id,
  url,
  scheme,
  host,
  path,
  query,
  normal_url,
  count(*) OVER (PARTITION BY normal.project_id, normal_url) AS spellings,
  query <> '' AS has_params,
  path <> lower(path) AS has_uppercase,
  path LIKE '_%/' AS has_trailing_slash,
  CASE WHEN crawled = 1 THEN true WHEN loaded.has_pages THEN false END AS is_crawled,
  CASE WHEN in_logs = 1 THEN true WHEN loaded.has_logs THEN false END AS is_in_logs,
  CASE WHEN ranked = 1 THEN true WHEN loaded.has_results THEN false END AS is_ranked
FROM normal
LEFT JOIN loaded ON loaded.project_id = normal.project_id
