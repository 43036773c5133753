/*
name: mart.issues
kind: view
description: >-
  What may be wrong with a page, one row for each file under sql/issues/ (docs/explore.md) that is looked for in any
  project. Severity, weight and definition are those of projects without settings of their own; mart.project_issues has
  them for each project.
grain: [issue]
columns:
  issue: Name of the file, as in client_error.
  title: As people say it.
  severity: How much the issue matters on any page, high, medium or low.
  weight: The same as a share of priority, 1 for high, 0.6 for medium and 0.3 for low.
  category: What it is about, as in redirects or sitemaps.
  definition: When a page has it.
  source: Page on the web that names it.
  why_it_matters: What it does to people or search engines.
  fix: What would mend it.
  mended_by: >-
    Who can mend it: content (those who write the pages), template (what many pages share) or server (with its redirects,
    robots.txt and sitemaps).
  evidence: >-
    Columns of mart.pages that show it, with commas between; a field of another dataset as in crawl_structured_data.valid,
    and hits and demand as page_hits.search_bot_hits and page_demand.impressions.
  needs: >-
    What else must have been read, with a comma between, or an empty text: links or sitemaps (mart.crawls.has_all_links,
    has_all_sitemaps), without which no page has the issue; related, the other page of the relation
    (mart.page_issues.related_url), without which the issue is neither new nor fixed; previous, the previous crawl, without
    which it is unknown which pages have it.
  related: >-
    Relation that names the other page of the issue (mart.page_relations.relation), or an empty text.
  is_by_days: >-
    Whether hits or demand decide, which belong to days. Such an issue is looked for in the latest crawls only, and not
    compared with the crawl before.
*/
SELECT issue, title, severity, weight, category, definition, source, why_it_matters, fix, mended_by, evidence, needs, related, is_by_days
FROM issues.files
