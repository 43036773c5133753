/*
name: mart.page_actions
kind: view
materialize: table
description: >-
  What to fix on the pages of the latest crawls. One row for each page and issue, with the finding, its priority and the
  fix (docs/definitions.md). The test of mart.pages also proves that these rows are unique.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  url_first_path: First directory of the URL (mart.pages.url_first_path).
  issue: Name of the issue (mart.issues.issue).
  title: Title of the issue (mart.issues.title).
  category: Subject of the issue (mart.issues.category).
  severity: How much the issue matters on any page of the project, high, medium or low (mart.project_issues.severity).
  priority: >-
    How much the issue matters on this page, 0 to 100: its value (mart.page_values.page_value) multiplied by the weight
    of the severity, rounded; NULL if the value is unknown.
  why: What was found on the page (mart.page_issues.why).
  fix: How to fix the issue (mart.issues.fix).
  status_code: HTTP status of the page (mart.pages.status_code).
  depth: Clicks from the start URL (mart.pages.depth).
  nb_inlinks: Number of links to the page from pages of the site (mart.pages.nb_inlinks).
  inrank_decimal: Popularity by internal links, 0 to 10 (mart.pages.inrank_decimal).
  clicks: >-
    Clicks in search results on the days that belong to the crawl (mart.page_demand.clicks); NULL if they did not show
    the page.
  impressions: Times that search results showed the page on the same days (mart.page_demand.impressions).
  search_bot_hits: >-
    Requests of search engines for the page on the days that belong to the crawl (mart.page_hits.search_bot_hits); NULL
    if none is known.
*/
SELECT
  page.crawl_id,
  page.project_id,
  page.url,
  page.page_key,
  page.url_key,
  page.url_first_path,
  found.issue,
  issues.title,
  issues.category,
  issues.severity,
  CAST(round(CAST(page.page_value * issues.weight AS DECIMAL(38, 9))) AS INTEGER) AS priority,
  found.why,
  issues.fix,
  page.status_code,
  page.depth,
  page.nb_inlinks,
  page.inrank_decimal,
  page.clicks,
  page.impressions,
  page.search_bot_hits
FROM (
  SELECT crawl_id, url, issue, why
  FROM mart.page_issues
  WHERE crawl_id IN (SELECT crawl_id FROM mart.crawls WHERE is_latest)
) AS found
JOIN mart.page_values AS page ON page.crawl_id = found.crawl_id AND page.url = found.url
JOIN mart.project_issues AS issues ON issues.project_id = page.project_id AND issues.issue = found.issue
