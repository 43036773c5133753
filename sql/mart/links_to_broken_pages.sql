/*
name: mart.links_to_broken_pages
kind: table
description: >-
  Targets of links of a crawl that returned an error (HTTP status 400 to 599), with the links to them. The status is the
  link's own target_status, or the page's status_code if the link has none. A target that returned several errors has a
  row for each. A nonstandard status such as 999 is not an error.
grain: [crawl_id, target, target_status]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  target: URL that the links lead to (raw.crawl_links.target).
  target_status: HTTP status of the target, 400 to 599.
  links: Number of links to the target that returned this status; a page may contain the same link many times.
  internal_links: Number of links within the site (mart.links.is_internal).
  follow_links: Number of links without nofollow (raw.crawl_links.follow); NULL if nofollow is unknown for all links.
  origin_pages: Number of pages that contain these links.
  sample_anchors: Up to five different texts of these links, in alphabetical order.
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
  broken AS (
    SELECT crawl_id, project_id, origin, target, anchor, follow, is_internal, target_status
    FROM mart.links
    WHERE target_status BETWEEN 400 AND 599

    UNION ALL
    SELECT
      links.crawl_id,
      links.project_id,
      links.origin,
      links.target,
      links.anchor,
      links.follow,
      links.is_internal,
      pages.status_code
    FROM mart.links AS links
    JOIN mart.pages AS pages ON pages.crawl_id = links.crawl_id AND pages.url = links.target
    WHERE links.target_status IS NULL AND pages.status_code BETWEEN 400 AND 599
  ),

  -- Hashes of the targets that several links lead to. Other targets need neither groups nor windows. A hash shared by
  -- two targets is also included.
  several AS (
    SELECT hash(crawl_id, target, target_status) AS target_hash
    FROM broken
    GROUP BY hash(crawl_id, target, target_status)
    HAVING count(*) > 1
  ),

  -- Groups and windows spill to disk when very many links are broken; count(DISTINCT …) and lists of texts cannot.
  by_origin AS (
    SELECT
      crawl_id,
      project_id,
      target,
      target_status,
      origin,
      count(*) AS links,
      count(CASE WHEN is_internal THEN 1 END) AS internal_links,
      sum(CAST(follow AS INTEGER)) AS follow_links
    FROM broken
    WHERE hash(crawl_id, target, target_status) IN (SELECT target_hash FROM several)
    GROUP BY crawl_id, project_id, target, target_status, origin
  ),

  by_target AS (
    SELECT
      crawl_id,
      project_id,
      target,
      target_status,
      CAST(sum(links) AS BIGINT) AS links,
      CAST(sum(internal_links) AS BIGINT) AS internal_links,
      CAST(sum(follow_links) AS BIGINT) AS follow_links,
      count(origin) AS origin_pages
    FROM by_origin
    GROUP BY crawl_id, project_id, target, target_status
  ),

  by_anchor AS (
    SELECT DISTINCT crawl_id, target, target_status, anchor
    FROM broken
    WHERE hash(crawl_id, target, target_status) IN (SELECT target_hash FROM several)
      AND anchor IS NOT NULL
  ),

  ranked_anchors AS (
    SELECT
      crawl_id,
      target,
      target_status,
      anchor AS first,
      lead(anchor, 1) OVER (PARTITION BY crawl_id, target, target_status ORDER BY anchor) AS second,
      lead(anchor, 2) OVER (PARTITION BY crawl_id, target, target_status ORDER BY anchor) AS third,
      lead(anchor, 3) OVER (PARTITION BY crawl_id, target, target_status ORDER BY anchor) AS fourth,
      lead(anchor, 4) OVER (PARTITION BY crawl_id, target, target_status ORDER BY anchor) AS fifth,
      row_number() OVER (PARTITION BY crawl_id, target, target_status ORDER BY anchor) AS place
    FROM by_anchor
  )

SELECT
  by_target.crawl_id,
  by_target.project_id,
  by_target.target,
  by_target.target_status,
  by_target.links,
  by_target.internal_links,
  by_target.follow_links,
  by_target.origin_pages,
  CASE
    WHEN anchors.first IS NULL THEN CAST(ARRAY[] AS VARCHAR[])
    WHEN anchors.second IS NULL THEN ARRAY[anchors.first]
    WHEN anchors.third IS NULL THEN ARRAY[anchors.first, anchors.second]
    WHEN anchors.fourth IS NULL THEN ARRAY[anchors.first, anchors.second, anchors.third]
    WHEN anchors.fifth IS NULL THEN ARRAY[anchors.first, anchors.second, anchors.third, anchors.fourth]
    ELSE ARRAY[anchors.first, anchors.second, anchors.third, anchors.fourth, anchors.fifth]
  END AS sample_anchors
FROM by_target
LEFT JOIN ranked_anchors AS anchors
  ON anchors.crawl_id = by_target.crawl_id
    AND anchors.target = by_target.target
    AND anchors.target_status = by_target.target_status
    AND anchors.place = 1

UNION ALL
SELECT
  crawl_id,
  project_id,
  target,
  target_status,
  1,
  CASE WHEN is_internal THEN 1 ELSE 0 END,
  CAST(follow AS INTEGER),
  CASE WHEN origin IS NULL THEN 0 ELSE 1 END,
  CASE WHEN anchor IS NULL THEN CAST(ARRAY[] AS VARCHAR[]) ELSE ARRAY[anchor] END
FROM broken
WHERE hash(crawl_id, target, target_status) NOT IN (SELECT target_hash FROM several)
