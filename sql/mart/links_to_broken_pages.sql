/*
name: mart.links_to_broken_pages
kind: table
description: >-
  Targets that links of a crawl lead to and that answered with an error (HTTP status 400 or more), with what links
  to them. The status is the link's own target_status, or the page's status_code where the link has none.
grain: [crawl_id, target]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  target: URL that the links lead to (raw.crawl_links.target).
  target_status: {description: 'HTTP status of the target, 400 or more.', tests: [not_null]}
  links: Number of links to it; the same link may stand many times on a page.
  internal_links: Of these, the ones within the site (raw.crawl_links.intern).
  follow_links: Of these, the ones to be followed (raw.crawl_links.follow).
  origin_pages: Number of pages that hold them.
  sample_anchors: Up to five different texts of these links, in the order of the alphabet.
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.links, mart.pages]
  partitions: |
    SELECT source_id AS crawl_id, dataset, loaded_at
    FROM ops.loads
    WHERE dataset IN ('crawl_links', 'crawl_pages')
*/
WITH
  -- Read twice, each time for other columns.
  broken AS NOT MATERIALIZED (
    FROM mart.links
    WHERE target_status >= 400

    UNION ALL
    SELECT links.* REPLACE (pages.status_code AS target_status)
    FROM mart.links AS links
    JOIN mart.pages AS pages ON pages.crawl_id = links.crawl_id AND pages.url = links.target
    WHERE links.target_status IS NULL AND pages.status_code >= 400
  ),

  -- Groups and windows spill to disk when very many links are broken; count(DISTINCT …) and list(DISTINCT …) can't.
  by_origin AS (
    SELECT
      crawl_id,
      project_id,
      target,
      origin,
      max(target_status) AS target_status,
      count(*) AS links,
      count(*) FILTER (intern) AS internal_links,
      count(*) FILTER (follow) AS follow_links
    FROM broken
    GROUP BY crawl_id, project_id, target, origin
  ),

  by_target AS (
    SELECT
      crawl_id,
      project_id,
      target,
      max(target_status) AS target_status,
      sum(links)::BIGINT AS links,
      sum(internal_links)::BIGINT AS internal_links,
      sum(follow_links)::BIGINT AS follow_links,
      count(origin) AS origin_pages
    FROM by_origin
    GROUP BY crawl_id, project_id, target
  ),

  by_anchor AS (
    SELECT DISTINCT crawl_id, target, anchor
    FROM broken
    WHERE anchor IS NOT NULL
  ),

  first_anchors AS (
    SELECT
      crawl_id,
      target,
      [
        anchor,
        lead(anchor, 1) OVER later,
        lead(anchor, 2) OVER later,
        lead(anchor, 3) OVER later,
        lead(anchor, 4) OVER later
      ] AS anchors
    FROM by_anchor
    WINDOW later AS (PARTITION BY crawl_id, target ORDER BY anchor)
    QUALIFY row_number() OVER later = 1
  )

SELECT
  by_target.*,
  coalesce([anchor FOR anchor IN first_anchors.anchors IF anchor IS NOT NULL], []) AS sample_anchors
FROM by_target
LEFT JOIN first_anchors USING (crawl_id, target)
