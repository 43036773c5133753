/*
name: mart.issues
kind: view
description: >-
  Possible issues of a page, one row for each file under sql/issues/ (docs/explore.md) that is enabled in any project.
  Severity, weight and definition are those of projects without their own settings. mart.project_issues contains the
  values of each project.
grain: [issue]
columns:
  issue: Name of the file, such as client_error.
  title: Title of the issue.
  severity: How much the issue matters on any page, high, medium or low.
  weight: The severity as a factor of the priority, 1 for high, 0.6 for medium and 0.3 for low.
  category: Subject of the issue, such as redirects or sitemaps.
  definition: When a page has the issue.
  source: Web page that documents the issue.
  why_it_matters: How the issue affects people or search engines.
  fix: How to fix the issue.
  owner: >-
    Who can fix the issue: content (writers), template (shared by many pages) or server (with its redirects, robots.txt
    and sitemaps).
  evidence: >-
    Columns of mart.pages that show the issue, separated by commas; a field of another dataset is written like
    crawl_structured_data.valid, and hits and demand like page_hits.search_bot_hits and page_demand.impressions.
  needs: >-
    What else the crawl must have read, separated by commas, or an empty text: links or sitemaps
    (mart.crawls.has_all_links, has_all_sitemaps), without which no page has the issue; related, the other page of the
    relation (mart.page_issues.related_url), without which the issue is neither new nor fixed; previous, the previous
    crawl, without which it is unknown which pages have it.
  related: >-
    Relation that names the other page of the issue (mart.page_relations.relation), or an empty text.
  is_by_days: >-
    Whether the issue depends on hits or demand, which belong to days. Such an issue is checked only in the latest
    crawls, and not compared with the previous crawl.
renamed: {mended_by: owner}
*/
SELECT issue, title, severity, weight, category, definition, source, why_it_matters, fix, owner, evidence, needs, related, is_by_days
FROM issues.files
