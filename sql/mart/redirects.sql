/*
name: mart.redirects
kind: table
description: Redirecting pages of each crawl, with the target of each redirect.
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: URL that redirects (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  status_code: HTTP status, 300 to 399 (mart.pages.status_code).
  redirect_location: Target of the redirect (mart.pages.redirect_location).
  final_redirect_status: >-
    HTTP status that the service reports for the end of the chain, if known (mart.pages.final_redirect_status).
  number: Position of the URL among the redirecting pages of the crawl, in alphabetical order, from 1.
  next_number: >-
    Number of the redirecting page that the redirect leads to; NULL if the target is not a redirecting page of the
    crawl.
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.pages]
  partitions: |
    SELECT source_id AS crawl_id, loaded_at
    FROM ops.loads
    WHERE dataset = 'crawl_pages'
*/
WITH redirecting AS (
  SELECT
    crawl_id,
    project_id,
    url,
    page_key,
    url_key,
    status_code,
    redirect_location,
    final_redirect_status,
    row_number() OVER (PARTITION BY crawl_id ORDER BY url) AS number
  FROM mart.pages
  WHERE status_code BETWEEN 300 AND 399 AND redirect_location IS NOT NULL
)

SELECT
  redirecting.crawl_id,
  redirecting.project_id,
  redirecting.url,
  redirecting.page_key,
  redirecting.url_key,
  redirecting.status_code,
  redirecting.redirect_location,
  redirecting.final_redirect_status,
  redirecting.number,
  later.number AS next_number
FROM redirecting
LEFT JOIN redirecting AS later
  ON later.crawl_id = redirecting.crawl_id AND later.url = redirecting.redirect_location
