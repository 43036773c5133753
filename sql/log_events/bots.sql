/*
name: mart.bots
kind: seed
description: >-
  Known crawlers, one row for each text by which a user agent tells one. The rows are those of sql/seeds/bots.csv, of
  the package and then of the project: a row of the project takes the place of the one with its token.
grain: [token]
columns:
  token: Text that the crawler's user agent holds, in any case. Of several that one holds the longest tells the crawler.
  crawler: Name of the crawler, as in Googlebot-Image.
  bot_class:
    description: >-
      What it is for: search (a search engine), ai (training, answers and users of AI), seo_tool, ads (landing pages
      and pages with ads) or other (previews, monitoring, feeds, archives).
    tests: [not_null, {accepted_values: [search, ai, seo_tool, ads, other]}]
  engine: Search engine, AI service or tool that it belongs to, in lower case, as in google.
  purpose: What it reads the site for, as in pages, images, training, answers, user request, links, site audit.
  reference: Page of its operator that tells of it; NULL where there is none.
tests:
  - name: no two tokens differ in case alone
    query: SELECT lower(token) AS token FROM mart.bots GROUP BY lower(token) HAVING count(*) > 1
*/
