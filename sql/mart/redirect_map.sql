/*
name: mart.redirect_map
kind: table
description: >-
  Where each redirecting page of a crawl leads, hop by hop: one row for each hop until the chain ends, comes back to a
  URL of its own, or has sixteen hops (docs/definitions.md).
grain: [crawl_id, url, hop]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: URL that the chain begins with, a page of the crawl that redirects (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  hop: Number of the hop in the chain, from 1 to 16.
  hop_url: URL that redirects in this hop; in hop 1 that of the chain.
  hop_status_code: HTTP status of that URL, 300 to 399 (mart.pages.status_code).
  hop_target: URL that the hop leads to (mart.pages.redirect_location).
  hops: Number of hops in the chain.
  final_url: URL that the last hop leads to.
  final_status_code: >-
    HTTP status of the final URL in the crawl (mart.pages.status_code), else the one that the service names for the end of
    the chain (mart.pages.final_redirect_status); NULL when neither is known.
  is_loop: Whether the chain comes back to one of its own URLs.
  is_cut: Whether the sixteenth hop leads to a page that redirects again.
  internal_links: Number of internal links to the URL that the chain begins with (mart.links).
  linking_pages: Number of different pages that hold these links.
  sample_origin: One of these pages, the first in the order of the alphabet.
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
  step AS (
    SELECT crawl_id, project_id, url, status_code, redirect_location AS target, final_redirect_status
    FROM mart.pages
    WHERE status_code BETWEEN 300 AND 399 AND redirect_location IS NOT NULL
  ),

  -- Where two, four and eight hops lead. Chains double with each of them, so four joins follow sixteen hops.
  jump2 AS (
    SELECT step.crawl_id, step.url, later.target
    FROM step
    JOIN step AS later ON later.crawl_id = step.crawl_id AND later.url = step.target
  ),

  jump4 AS (
    SELECT jump2.crawl_id, jump2.url, later.target
    FROM jump2
    JOIN jump2 AS later ON later.crawl_id = jump2.crawl_id AND later.url = jump2.target
  ),

  jump8 AS (
    SELECT jump4.crawl_id, jump4.url, later.target
    FROM jump4
    JOIN jump4 AS later ON later.crawl_id = jump4.crawl_id AND later.url = jump4.target
  ),

  chain1 AS (
    SELECT crawl_id, url, 1 AS hop, url AS hop_url
    FROM step
  ),

  chain2 AS (
    SELECT crawl_id, url, hop, hop_url
    FROM chain1

    UNION ALL
    SELECT step.crawl_id, step.url, rest.hop + 1, rest.hop_url
    FROM step
    JOIN chain1 AS rest ON rest.crawl_id = step.crawl_id AND rest.url = step.target
  ),

  chain4 AS (
    SELECT crawl_id, url, hop, hop_url
    FROM chain2

    UNION ALL
    SELECT jump2.crawl_id, jump2.url, rest.hop + 2, rest.hop_url
    FROM jump2
    JOIN chain2 AS rest ON rest.crawl_id = jump2.crawl_id AND rest.url = jump2.target
  ),

  chain8 AS (
    SELECT crawl_id, url, hop, hop_url
    FROM chain4

    UNION ALL
    SELECT jump4.crawl_id, jump4.url, rest.hop + 4, rest.hop_url
    FROM jump4
    JOIN chain4 AS rest ON rest.crawl_id = jump4.crawl_id AND rest.url = jump4.target
  ),

  chain16 AS (
    SELECT crawl_id, url, hop, hop_url
    FROM chain8

    UNION ALL
    SELECT jump8.crawl_id, jump8.url, rest.hop + 8, rest.hop_url
    FROM jump8
    JOIN chain8 AS rest ON rest.crawl_id = jump8.crawl_id AND rest.url = jump8.target
  ),

  -- A chain that comes back goes round again: each of its URLs counts once, where it comes first.
  followed AS (
    SELECT crawl_id, url, hop_url, min(hop) AS hop
    FROM chain16
    GROUP BY crawl_id, url, hop_url
  ),

  sized AS (
    SELECT crawl_id, url, max(hop) AS hops
    FROM followed
    GROUP BY crawl_id, url
  ),

  ended AS (
    SELECT
      sized.crawl_id,
      sized.url,
      sized.hops,
      last.target AS final_url,
      last.final_redirect_status,
      again.hop IS NOT NULL AS is_loop
    FROM sized
    JOIN followed
      ON followed.crawl_id = sized.crawl_id AND followed.url = sized.url AND followed.hop = sized.hops
    JOIN step AS last ON last.crawl_id = followed.crawl_id AND last.url = followed.hop_url
    LEFT JOIN followed AS again
      ON again.crawl_id = sized.crawl_id AND again.url = sized.url AND again.hop_url = last.target
  ),

  -- Counted page by page first: groups spill to disk, count(DISTINCT …) can't.
  linking AS (
    SELECT links.crawl_id, links.target, links.origin, count(*) AS links
    FROM mart.links AS links
    JOIN step ON step.crawl_id = links.crawl_id AND step.url = links.target
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
  followed.crawl_id,
  step.project_id,
  followed.url,
  followed.crawl_id || ' ' || followed.url AS page_key,
  step.project_id || ' ' || followed.url AS url_key,
  followed.hop,
  followed.hop_url,
  step.status_code AS hop_status_code,
  step.target AS hop_target,
  ended.hops,
  ended.final_url,
  coalesce(final.status_code, ended.final_redirect_status) AS final_status_code,
  ended.is_loop,
  ended.hops = 16 AND NOT ended.is_loop AND more.url IS NOT NULL AS is_cut,
  coalesce(linked.internal_links, 0) AS internal_links,
  coalesce(linked.linking_pages, 0) AS linking_pages,
  linked.sample_origin
FROM followed
JOIN step ON step.crawl_id = followed.crawl_id AND step.url = followed.hop_url
JOIN ended ON ended.crawl_id = followed.crawl_id AND ended.url = followed.url
LEFT JOIN mart.pages AS final ON final.crawl_id = ended.crawl_id AND final.url = ended.final_url
LEFT JOIN step AS more ON more.crawl_id = ended.crawl_id AND more.url = ended.final_url
LEFT JOIN linked ON linked.crawl_id = followed.crawl_id AND linked.target = followed.url
