/*
name: mart.bots
kind: seed
description: >-
  Known crawlers, one row for each text that identifies a crawler in a user agent. The rows come from sql/seeds/bots.csv
  of the package and of the project. A row of the project replaces the row with the same token.
grain: [token]
columns:
  token: Text in the crawler's user agent, in any case. If a user agent contains several tokens, the longest one counts.
  crawler: Name of the crawler, such as Googlebot-Image.
  bot_class:
    description: >-
      Purpose: search (a search engine), ai (training, answers and users of AI), seo_tool, ads (landing pages and pages
      with ads) or other (previews, monitoring, feeds, archives).
    tests: [not_null, {accepted_values: [search, ai, seo_tool, ads, other]}]
  engine: Search engine, AI service or tool that the crawler belongs to, in lowercase, such as google.
  purpose: Why the crawler reads the site, such as pages, images, training, answers, user request, links or site audit.
  reference: The operator's page about the crawler; NULL if there is none.
tests:
  - name: no two tokens differ in case alone
    query: SELECT lower(token) AS token FROM mart.bots GROUP BY lower(token) HAVING count(*) > 1
*/
