/*
name: mart.issue_priorities
kind: table
description: >-
  What to fix first. One row for each crawl, segment and issue, with the issue's priority (docs/definitions.md) and the
  figures that determine the priority. Console, report and command line show these rows.
grain: [crawl_id, segmentation, segment, issue]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  segmentation: >-
    (site) for all pages, (directory) for the first directory, or the name of a segmentation
    (mart.crawl_segments.segmentation).
  segment: The segment; (site) for all pages.
  issue: Name of the issue (mart.issues.issue).
  title: Title of the issue (mart.issues.title).
  category: Subject of the issue (mart.issues.category).
  severity: How much the issue matters on any page of the project, high, medium or low (mart.project_issues.severity).
  owner: Who can fix it, content, template or server (mart.issues.owner).
  fix: How to fix it (mart.issues.fix).
  priority: >-
    0 to 100, the weight of the severity multiplied by the shares of clicks, pages, search engine hits, inrank and new
    pages. An unknown share is left out, and the other shares count for more.
  pages: Number of pages in the segment that have the issue.
  new_pages: >-
    Pages with the issue that did not have it in the previous crawl (mart.issue_changes.new_pages); NULL if they are not
    compared.
  clicks: >-
    Clicks in search results on these pages on the days that belong to the crawl; NULL if the search results of these
    days do not show them by page (mart.crawl_segments.clicks).
  new_clicks: Clicks on new_pages; NULL if either number is unknown.
  search_bot_hits: >-
    Requests of search engines for these pages on the days that belong to the crawl; NULL if the days have no log files,
    or the number is unknown for a page (mart.crawl_segments.search_bot_hits).
  average_inrank: >-
    Average popularity of these pages by internal links, 0 to 10; NULL if no page has one (mart.pages.inrank_decimal).
  example: >-
    The page with the most clicks, then the most hits of search engines, then the highest inrank, then the first URL.
renamed: {mended_by: owner}
incremental:
  by: crawl_id
  within:
    mart.pages: [crawl_id]
    mart.page_segments: [crawl_id]
    mart.page_demand: [crawl_id]
    mart.page_hits: [crawl_id]
    mart.crawl_segments: [crawl_id]
    mart.issue_changes: [crawl_id]
    mart.page_issue_changes: [crawl_id]
  # Whatever changes the issues of a crawl, or of the one that it is compared with, and the days of either kind.
  partitions: |
    SELECT pairs.*, sources.source, sources.loaded_at
    FROM mart.crawl_pairs AS pairs
    JOIN mart.issue_sources AS sources ON sources.crawl_id = pairs.crawl_id
    UNION ALL
    SELECT pairs.*, 'previous ' || sources.source, sources.loaded_at
    FROM mart.crawl_pairs AS pairs
    JOIN mart.issue_sources AS sources ON sources.crawl_id = pairs.previous_crawl_id
*/
WITH
  -- The segments of each page. Findings are read once and joined to them, because there are many more findings.
  place AS (
    SELECT crawl_id, url, '(site)' AS segmentation, '(site)' AS segment
    FROM mart.pages

    UNION ALL
    SELECT crawl_id, url, '(directory)', url_first_path
    FROM mart.pages
    WHERE url_first_path IS NOT NULL

    UNION ALL
    SELECT crawl_id, url, segmentation, segment
    FROM mart.page_segments
    WHERE segment IS NOT NULL
  ),

  placed AS (
    SELECT
      found.crawl_id,
      coalesce(place.segmentation, '(site)') AS segmentation,
      coalesce(place.segment, '(site)') AS segment,
      found.issue,
      found.url,
      CAST(pages.inrank_decimal AS DECIMAL(38, 9)) AS inrank,
      demand.clicks,
      hits.search_bot_hits,
      hits.url IS NOT NULL AND hits.search_bot_hits IS NULL AS has_unknown_hits,
      coalesce(found.change, 'new') = 'new' AS is_new,
      coalesce(demand.clicks, 0) AS by_clicks,
      coalesce(hits.search_bot_hits, 0) AS by_hits,
      coalesce(pages.inrank_decimal, 0) AS by_inrank
    FROM mart.page_issue_changes AS found
    LEFT JOIN place ON place.crawl_id = found.crawl_id AND place.url = found.url
    LEFT JOIN mart.pages AS pages ON pages.crawl_id = found.crawl_id AND pages.url = found.url
    LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = found.crawl_id AND demand.url = found.url
    LEFT JOIN mart.page_hits AS hits ON hits.crawl_id = found.crawl_id AND hits.url = found.url
    WHERE coalesce(found.change, 'new') IN ('new', 'remaining', 'unseen')
  ),

  counted AS (
    SELECT
      crawl_id,
      segmentation,
      segment,
      issue,
      count(*) AS pages,
      count(CASE WHEN is_new THEN 1 END) AS new_pages,
      CAST(coalesce(sum(clicks), 0) AS BIGINT) AS clicks,
      CAST(coalesce(sum(CASE WHEN is_new THEN clicks END), 0) AS BIGINT) AS new_clicks,
      CAST(coalesce(sum(search_bot_hits), 0) AS BIGINT) AS search_bot_hits,
      count(CASE WHEN has_unknown_hits THEN 1 END) AS unknown_hits,
      CAST(sum(inrank) AS DOUBLE) / nullif(count(inrank), 0) AS average_inrank,
      min_by(url, ROW(-by_clicks, -by_hits, -by_inrank, url)) FILTER (WHERE url IS NOT NULL) AS example
    FROM placed
    GROUP BY crawl_id, segmentation, segment, issue
  ),

  known AS (
    SELECT
      counted.crawl_id,
      whole.project_id,
      counted.segmentation,
      counted.segment,
      counted.issue,
      counted.pages,
      CASE WHEN changes.new_pages IS NOT NULL THEN counted.new_pages END AS new_pages,
      CASE WHEN whole.clicks IS NOT NULL THEN counted.clicks END AS clicks,
      CASE WHEN whole.clicks IS NOT NULL AND changes.new_pages IS NOT NULL THEN counted.new_clicks END AS new_clicks,
      CASE WHEN whole.log_days > 0 AND counted.unknown_hits = 0 THEN counted.search_bot_hits END AS search_bot_hits,
      counted.average_inrank,
      counted.example,
      whole.pages AS all_pages,
      whole.clicks AS all_clicks,
      whole.search_bot_hits AS all_hits
    FROM counted
    JOIN mart.crawl_segments AS whole
      ON whole.crawl_id = counted.crawl_id
      AND whole.segmentation = counted.segmentation
      AND whole.segment = counted.segment
    LEFT JOIN mart.issue_changes AS changes ON changes.crawl_id = counted.crawl_id AND changes.issue = counted.issue
  ),

  -- Shares of 0 to 1. The share of a sum of 0 is 0. The first page or click weighs more than the next one.
  shared AS (
    SELECT
      known.*,
      least(coalesce(CAST(ln(1 + pages) AS DOUBLE) / nullif(ln(1 + all_pages), 0), 0), 1) AS pages_share,
      CASE
        WHEN clicks IS NOT NULL AND all_clicks IS NOT NULL
          THEN least(coalesce(CAST(ln(1 + clicks) AS DOUBLE) / nullif(ln(1 + all_clicks), 0), 0), 1)
      END AS clicks_share,
      CASE
        WHEN search_bot_hits IS NOT NULL AND all_hits IS NOT NULL
          THEN least(coalesce(CAST(ln(1 + search_bot_hits) AS DOUBLE) / nullif(ln(1 + all_hits), 0), 0), 1)
      END AS hits_share,
      CAST(average_inrank AS DOUBLE) / 10 AS inrank_share,
      CAST(new_pages AS DOUBLE) / pages AS new_share
    FROM known
  ),

  scored AS (
    SELECT
      shared.crawl_id,
      shared.project_id,
      shared.segmentation,
      shared.segment,
      shared.issue,
      issues.title,
      issues.category,
      issues.severity,
      issues.owner,
      issues.fix,
      CAST(
        round(
          CAST(
            CAST(
              100 * issues.weight * (
                20 * pages_share
                + 35 * coalesce(clicks_share, 0)
                + 15 * coalesce(hits_share, 0)
                + 10 * coalesce(inrank_share, 0)
                + 20 * coalesce(new_share, 0)
              ) AS DOUBLE
            ) / (
              20
              + CASE WHEN clicks_share IS NULL THEN 0 ELSE 35 END
              + CASE WHEN hits_share IS NULL THEN 0 ELSE 15 END
              + CASE WHEN inrank_share IS NULL THEN 0 ELSE 10 END
              + CASE WHEN new_share IS NULL THEN 0 ELSE 20 END
            ) AS DECIMAL(38, 9)
          )
        ) AS INTEGER
      ) AS priority,
      shared.pages,
      shared.new_pages,
      shared.clicks,
      shared.new_clicks,
      shared.search_bot_hits,
      shared.average_inrank,
      shared.example
    FROM shared
    JOIN mart.project_issues AS issues ON issues.project_id = shared.project_id AND issues.issue = shared.issue
  ),

  -- Issues of the state of pages that became non-indexable.
  state AS (
    SELECT DISTINCT own.crawl_id, other.issue
    FROM mart.page_issues AS own
    JOIN mart.page_issues AS other ON other.crawl_id = own.crawl_id AND other.url = own.url
    WHERE own.issue = 'became_non_indexable'
      AND other.issue IN (
        'robots_denied', 'client_error', 'noindex', 'canonicalised', 'service_not_indexable', 'robots_denied_in_sitemap',
        'error_in_sitemap', 'noindex_in_sitemap', 'canonicalised_in_sitemap', 'client_error_with_demand',
        'demand_not_indexable', 'bots_on_non_indexable'
      )
  ),

  -- A change of a page ranks above its state: at least one point above each such issue of the same pages.
  ranked AS (
    SELECT
      scored.*,
      max(CASE WHEN state.issue IS NOT NULL THEN scored.priority END) OVER (
        PARTITION BY scored.crawl_id, scored.segmentation, scored.segment
      ) AS state_priority
    FROM scored
    LEFT JOIN state ON state.crawl_id = scored.crawl_id AND state.issue = scored.issue
  )

SELECT
  crawl_id,
  project_id,
  segmentation,
  segment,
  issue,
  title,
  category,
  severity,
  owner,
  fix,
  CASE
    WHEN issue = 'became_non_indexable' AND state_priority >= priority THEN least(coalesce(1 + state_priority, 0), 100)
    ELSE priority
  END AS priority,
  pages,
  new_pages,
  clicks,
  new_clicks,
  search_bot_hits,
  average_inrank,
  example
FROM ranked
