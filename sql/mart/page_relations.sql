/*
name: mart.page_relations
kind: table
description: >-
  The other page of a relation that an issue is about, if the page itself does not name the other page. One row for each
  page and relation, with the alphabetically first URL. mart.page_issues shows this URL as related_url.
grain: [crawl_id, url, relation]
columns:
  crawl_id: Identifier of the crawl.
  url: URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  relation:
    description: >-
      linking_page (a page that links to it; for pages with one link, with nofollow links only, and for pages that
      redirect, answer with an error or are blocked), return_link (a language version that does not link back),
      duplicate_lang (another URL that it declares for the same language), hreflang_target (a language version that
      cannot be indexed), or series_error, series_redirect and series_non_indexable (the next or previous page of a
      series).
    tests:
      - accepted_values:
          - linking_page
          - return_link
          - duplicate_lang
          - hreflang_target
          - series_error
          - series_redirect
          - series_non_indexable
  related_url: The other URL.
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.pages, mart.links, mart.page_hreflangs, mart.read_targets]
  partitions: |
    SELECT source_id AS crawl_id, dataset, loaded_at
    FROM ops.loads
    WHERE dataset IN ('crawl_pages', 'crawl_links', 'crawl_requests')
*/
WITH
  linked AS (
    SELECT crawl_id, url
    FROM mart.pages
    WHERE nb_inlinks > 0
      AND (nb_inlinks = 1 OR follow_inlinks = 0 OR is_robots_denied OR non_indexable_reason IN ('client_error', 'redirect'))
  ),

  marked AS (
    SELECT crawl_id, url, ',' || array_to_string(hreflang_errors, ',') || ',' AS errors
    FROM mart.pages
    WHERE array_length(hreflang_errors) > 0
  ),

  version AS (
    SELECT marked.crawl_id, marked.url, marked.errors, versions.lang, versions.href
    FROM marked
    JOIN mart.page_hreflangs AS versions
      ON versions.crawl_id = marked.crawl_id AND versions.url = marked.url AND versions.href <> marked.url
  ),

  series AS (
    SELECT crawl_id, url, rel_prev AS target
    FROM mart.pages
    WHERE array_length(pagination_errors) > 0 AND rel_prev IS NOT NULL

    UNION ALL
    SELECT crawl_id, url, rel_next
    FROM mart.pages
    WHERE array_length(pagination_errors) > 0 AND rel_next IS NOT NULL
  ),

  series_target AS (
    SELECT
      series.crawl_id,
      series.url,
      series.target,
      CASE
        WHEN targets.status_code BETWEEN 400 AND 599 THEN 'series_error'
        WHEN targets.status_code BETWEEN 300 AND 399 THEN 'series_redirect'
        WHEN NOT targets.is_indexable THEN 'series_non_indexable'
      END AS relation
    FROM series
    JOIN mart.read_targets AS targets ON targets.crawl_id = series.crawl_id AND targets.url = series.target
    WHERE series.target <> series.url
  ),

  related AS (
    SELECT links.crawl_id, links.target AS url, 'linking_page' AS relation, min(links.origin) AS related_url
    FROM linked
    JOIN mart.links AS links ON links.crawl_id = linked.crawl_id AND links.target = linked.url AND links.origin <> linked.url
    GROUP BY links.crawl_id, links.target

    UNION ALL
    SELECT version.crawl_id, version.url, 'return_link', min(targets.url)
    FROM version
    JOIN mart.pages AS targets ON targets.crawl_id = version.crawl_id AND targets.url = version.href
    WHERE version.errors LIKE '%,missing_return_link,%'
      AND targets.status_code BETWEEN 200 AND 299
      AND coalesce(strpos(' ' || array_to_string(targets.hreflang_hrefs, ' ') || ' ', ' ' || version.url || ' '), 0) = 0
    GROUP BY version.crawl_id, version.url

    UNION ALL
    SELECT version.crawl_id, version.url, 'duplicate_lang', min(same.href)
    FROM version
    JOIN version AS same
      ON same.crawl_id = version.crawl_id AND same.url = version.url AND same.lang = version.lang AND same.href <> version.href
    WHERE version.errors LIKE '%,duplicate_lang,%'
    GROUP BY version.crawl_id, version.url

    UNION ALL
    SELECT version.crawl_id, version.url, 'hreflang_target', min(targets.url)
    FROM version
    JOIN mart.read_targets AS targets ON targets.crawl_id = version.crawl_id AND targets.url = version.href
    WHERE version.errors LIKE '%,target_not_indexable,%' AND NOT targets.is_indexable
    GROUP BY version.crawl_id, version.url

    UNION ALL
    SELECT crawl_id, url, relation, min(target)
    FROM series_target
    WHERE relation IS NOT NULL
    GROUP BY crawl_id, url, relation
  )

SELECT crawl_id, url, crawl_id || ' ' || url AS page_key, relation, related_url
FROM related
