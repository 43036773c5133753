/*
name: mart.crawl_pairs
kind: view
description: >-
  One row for each crawl with pages, with the previous crawl to compare it with and the data that each of the two crawls
  read completely.
grain: [crawl_id]
columns:
  crawl_id: Identifier of the crawl.
  previous_crawl_id: Identifier of the previous crawl (mart.crawls.previous_crawl_id); NULL if there is none.
  project_id: Identifier of their project.
  is_list: Whether the crawl is of a list of URLs (mart.crawls.is_list).
  has_all_links: Whether the crawl read the links of the whole website (mart.crawls.has_all_links).
  has_all_sitemaps: >-
    Whether the crawl read all of its sitemaps (mart.crawls.has_all_sitemaps). If the crawl does not report its
    sitemaps, whether a sitemap lists one of its pages.
  is_previous_list: Value of is_list for the previous crawl.
  has_all_previous_links: Value of has_all_links for the previous crawl.
  has_all_previous_sitemaps: Value of has_all_sitemaps for the previous crawl.
*/
WITH
  side AS (
    SELECT
      crawls.crawl_id,
      crawls.previous_crawl_id,
      crawls.project_id,
      crawls.is_list,
      crawls.has_all_links,
      coalesce(crawls.has_all_sitemaps, coverage.sitemap_pages > 0) AS has_all_sitemaps
    FROM mart.crawls AS crawls
    LEFT JOIN mart.crawl_coverage AS coverage ON coverage.crawl_id = crawls.crawl_id
    WHERE crawls.has_pages
  )

SELECT
  side.crawl_id,
  side.previous_crawl_id,
  side.project_id,
  side.is_list,
  side.has_all_links,
  side.has_all_sitemaps,
  previous.is_list AS is_previous_list,
  previous.has_all_links AS has_all_previous_links,
  previous.has_all_sitemaps AS has_all_previous_sitemaps
FROM side
LEFT JOIN side AS previous ON previous.crawl_id = side.previous_crawl_id
