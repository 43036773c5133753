/*
name: mart.redirect_map
kind: table
description: >-
  The targets of each redirecting page of a crawl, one row for each hop until the chain ends, returns to one of its
  URLs, or has sixteen hops (docs/definitions.md).
grain: [crawl_id, url, hop]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: URL that the chain begins with, which is a redirecting page of the crawl (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  hop: Number of the hop in the chain, from 1 to 16.
  hop_url: URL that redirects in this hop; in hop 1, the URL that the chain begins with.
  hop_status_code: HTTP status of that URL, 300 to 399 (mart.pages.status_code).
  hop_target: URL that the hop leads to (mart.pages.redirect_location).
  hops: Number of hops in the chain.
  final_url: URL that the last hop leads to.
  final_status_code: >-
    HTTP status of the final URL in the crawl (mart.pages.status_code), else the one that the service reports for the
    end of the chain (mart.pages.final_redirect_status); NULL if neither is known.
  is_loop: Whether the chain returns to one of its own URLs.
  is_cut: Whether the sixteenth hop leads to a page that redirects again.
  internal_links: >-
    Number of internal links to the URL that the chain begins with (mart.links); NULL if the links of the crawl are not
    loaded, as in linking_pages.
  linking_pages: Number of different pages that contain these links.
  sample_origin: The first of these pages in alphabetical order.
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.links, mart.pages, mart.redirects]
  partitions: |
    SELECT source_id AS crawl_id, dataset, loaded_at
    FROM ops.loads
    WHERE dataset IN ('crawl_links', 'crawl_pages')
*/
WITH
  -- Four hops, then four times four. Trino computes a WITH at each use, so there are few uses.
  four AS (
    SELECT
      first.crawl_id,
      first.number,
      first.next_number AS number2,
      second.next_number AS number3,
      third.next_number AS number4,
      fourth.next_number AS number5
    FROM mart.redirects AS first
    LEFT JOIN mart.redirects AS second
      ON second.crawl_id = first.crawl_id AND second.number = first.next_number
    LEFT JOIN mart.redirects AS third
      ON third.crawl_id = second.crawl_id AND third.number = second.next_number
    LEFT JOIN mart.redirects AS fourth
      ON fourth.crawl_id = third.crawl_id AND fourth.number = third.next_number
  ),

  sixteen AS (
    SELECT
      first.crawl_id,
      first.number,
      first.number AS number1, first.number2, first.number3, first.number4,
      second.number AS number5, second.number2 AS number6, second.number3 AS number7, second.number4 AS number8,
      third.number AS number9, third.number2 AS number10, third.number3 AS number11, third.number4 AS number12,
      fourth.number AS number13, fourth.number2 AS number14, fourth.number3 AS number15, fourth.number4 AS number16
    FROM four AS first
    LEFT JOIN four AS second ON second.crawl_id = first.crawl_id AND second.number = first.number5
    LEFT JOIN four AS third ON third.crawl_id = second.crawl_id AND third.number = second.number5
    LEFT JOIN four AS fourth ON fourth.crawl_id = third.crawl_id AND fourth.number = third.number5
  ),

  hops AS (
    SELECT
      sixteen.crawl_id,
      sixteen.number,
      hops.hop,
      CASE hops.hop
        WHEN 1 THEN number1 WHEN 2 THEN number2 WHEN 3 THEN number3 WHEN 4 THEN number4
        WHEN 5 THEN number5 WHEN 6 THEN number6 WHEN 7 THEN number7 WHEN 8 THEN number8
        WHEN 9 THEN number9 WHEN 10 THEN number10 WHEN 11 THEN number11 WHEN 12 THEN number12
        WHEN 13 THEN number13 WHEN 14 THEN number14 WHEN 15 THEN number15 WHEN 16 THEN number16
      END AS hop_number
    FROM sixteen
    CROSS JOIN (
      VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16)
    ) AS hops (hop)
  ),

  -- A circular chain repeats. Each of its URLs counts once, at its first place.
  followed AS (
    SELECT crawl_id, number, hop_number, min(hop) AS hop
    FROM hops
    WHERE hop_number IS NOT NULL
    GROUP BY crawl_id, number, hop_number
  ),

  sized AS (
    SELECT
      crawl_id,
      number,
      hop,
      hop_number,
      max(hop) OVER (PARTITION BY crawl_id, number) AS hops
    FROM followed
  ),

  ended AS (
    SELECT
      crawl_id,
      number,
      hop,
      hop_number,
      hops,
      max(CASE WHEN hop = hops THEN hop_number END) OVER (PARTITION BY crawl_id, number) AS last_number
    FROM sized
  ),

  chains AS (
    SELECT
      ended.crawl_id,
      ended.number,
      ended.hop,
      ended.hop_number,
      ended.hops,
      last.next_number,
      last.redirect_location AS final_url,
      last.final_redirect_status,
      max(CASE WHEN ended.hop_number = last.next_number THEN 1 ELSE 0 END)
        OVER (PARTITION BY ended.crawl_id, ended.number) = 1 AS is_loop
    FROM ended
    JOIN mart.redirects AS last ON last.crawl_id = ended.crawl_id AND last.number = ended.last_number
  ),

  -- First counted per page: groups spill to disk, count(DISTINCT …) cannot.
  linking AS (
    SELECT links.crawl_id, links.target, links.origin, count(*) AS links
    FROM mart.links AS links
    JOIN mart.redirects AS redirects ON redirects.crawl_id = links.crawl_id AND redirects.url = links.target
    WHERE links.is_internal
    GROUP BY links.crawl_id, links.target, links.origin
  ),

  linked AS (
    SELECT
      crawl_id,
      target,
      CAST(sum(links) AS BIGINT) AS internal_links,
      count(origin) AS linking_pages,
      min(origin) AS sample_origin
    FROM linking
    GROUP BY crawl_id, target
  )

SELECT
  redirects.crawl_id,
  redirects.project_id,
  redirects.url,
  redirects.page_key,
  redirects.url_key,
  chains.hop,
  hops.url AS hop_url,
  hops.status_code AS hop_status_code,
  hops.redirect_location AS hop_target,
  chains.hops,
  chains.final_url,
  coalesce(final.status_code, chains.final_redirect_status) AS final_status_code,
  chains.is_loop,
  chains.hops = 16 AND NOT chains.is_loop AND chains.next_number IS NOT NULL AS is_cut,
  CASE WHEN loaded.crawl_id IS NOT NULL THEN coalesce(linked.internal_links, 0) END AS internal_links,
  CASE WHEN loaded.crawl_id IS NOT NULL THEN coalesce(linked.linking_pages, 0) END AS linking_pages,
  linked.sample_origin
FROM chains
JOIN mart.redirects AS redirects ON redirects.crawl_id = chains.crawl_id AND redirects.number = chains.number
JOIN mart.redirects AS hops ON hops.crawl_id = chains.crawl_id AND hops.number = chains.hop_number
LEFT JOIN mart.pages AS final ON final.crawl_id = chains.crawl_id AND final.url = chains.final_url
LEFT JOIN linked ON linked.crawl_id = chains.crawl_id AND linked.target = redirects.url
LEFT JOIN (SELECT DISTINCT source_id AS crawl_id FROM ops.loads WHERE dataset = 'crawl_links') AS loaded
  ON loaded.crawl_id = chains.crawl_id
