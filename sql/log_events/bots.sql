/*
name: mart.bots
kind: seed
description: >-
  Known crawlers, one row for each text that identifies a crawler in a user agent, and one for each token that exists
  only in robots.txt. The rows come from sql/seeds/bots.csv of the package and of the project. A row of the project
  replaces the row with the same token.
grain: [token]
optional: [found_in, read_on]
columns:
  token: Text in the crawler's user agent, in any case. If a user agent contains several tokens, the longest one counts.
  crawler: Name of the crawler, such as Googlebot-Image.
  bot_class:
    description: >-
      Purpose: search (a search engine), ai (training, answers and users of AI), seo_tool, ads (landing pages and pages
      with ads) or other (previews, monitoring, feeds, archives).
    tests: [not_null, {accepted_values: [search, ai, seo_tool, ads, other]}]
  engine: Search engine, AI service or tool that the crawler belongs to, in lowercase, such as google.
  purpose: >-
    Why the crawler reads the site, such as pages, images, training (of AI), answers (an index for AI answers), user
    request, landing pages, previews, links or site audit.
  reference: The operator's page about the crawler; NULL if there is none.
  found_in:
    description: >-
      user_agent: user agents contain the token. robots_txt: only rules in robots.txt contain it, and no request belongs
      to it, as with Google-Extended. NULL counts as user_agent.
    tests: [{accepted_values: [user_agent, robots_txt]}]
  read_on: >-
    Day on which the token was last found on the operator's page, or in the lists crawler-user-agents or ai.robots.txt,
    as in 2026-11-30; NULL if it was not.
tests:
  - name: no two tokens differ in case alone
    query: SELECT lower(token) AS token FROM mart.bots GROUP BY lower(token) HAVING count(*) > 1
*/
