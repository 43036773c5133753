/*
name: mart.page_issues
kind: table
description: >-
  The issues of each page, one row for each crawl, page and issue (mart.issues). The test of mart.pages also proves that
  these rows are unique.
grain: null
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  url: Full URL of the page (mart.pages.url).
  page_key: The crawl's identifier, a space and the URL (mart.pages.page_key).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  issue: Name of the issue (mart.issues.issue).
  why: What was found on the page.
  related_url: >-
    The other URL of a relation, such as the canonical, the target of a redirect or another page with the same title;
    the first one if there are several. NULL for an issue of a single page, and if the other URL is unknown.
incremental:
  by: crawl_id
  within:
    mart.pages: [crawl_id]
    mart.page_relations: [crawl_id]
    mart.canonical_targets: [crawl_id]
    mart.page_hreflangs: [crawl_id]
    mart.links: [crawl_id]
    mart.orphans: [crawl_id]
    mart.page_hits: [crawl_id]
    mart.crawl_budget: [crawl_id]
    mart.page_demand: [crawl_id]
    mart.structured_data: [crawl_id]
    mart.crawl_coverage: [crawl_id]
    # Settings of segments read them.
    mart.page_groups: [crawl_id]
  # Search results and log files decide in the latest crawl of a configuration only. No link leads to a start page. The
  # settings of issues may name a project.
  partitions: |
    SELECT crawl_id, source, loaded_at
    FROM mart.issue_sources
*/
SELECT
  found.crawl_id,
  found.project_id,
  found.url,
  found.crawl_id || ' ' || found.url AS page_key,
  found.project_id || ' ' || found.url AS url_key,
  found.issue,
  found.why,
  coalesce(relations.related_url, found.related_url) AS related_url
FROM issues.found AS found
LEFT JOIN mart.page_relations AS relations
  ON relations.crawl_id = found.crawl_id AND relations.url = found.url AND relations.relation = found.relation
-- Where only some links or sitemaps were read, issues that need all of them are unknown.
LEFT JOIN (
  SELECT crawls.crawl_id AS partial_id, issues.issue AS unknown_issue
  FROM mart.crawls AS crawls
  JOIN mart.issues AS issues
    ON strpos(issues.needs, 'links') > 0 AND NOT crawls.has_all_links
    OR strpos(issues.needs, 'sitemaps') > 0 AND NOT crawls.has_all_sitemaps
) AS partial ON partial.partial_id = found.crawl_id AND partial.unknown_issue = found.issue
WHERE partial.partial_id IS NULL
