/*
name: mart.page_hits
kind: table
description: >-
  Requests that log files show for each URL of a project, added up over the days that go with a crawl: a day goes with
  the latest crawl of the project, of those whose pages are loaded, that ended before the day did. Days before the
  first crawl go with none. Days are those of UTC.
grain: [project_id, crawl_id, url]
columns:
  project_id: Identifier of the project.
  crawl_id: {description: Identifier of the crawl; NULL for the days before the first one., nullable: true}
  url: Full URL that was asked for (raw.log_pages_days.url).
  from_day: First day with log files that goes with the crawl, for all its URLs the same.
  to_day: Last such day.
  days: Number of days on which the URL was asked for.
  hits: Number of requests for it, bots and people (raw.log_pages_days.hits).
  bot_hits: Number of requests by bots (raw.log_pages_days.bot_hits).
  seo_bot_hits: Of these, by bots that read pages for search results (raw.log_pages_days.seo_bot_hits).
  visits: Number of requests by people (raw.log_pages_days.visits).
  seo_visits: Of these, from the results of a search engine (raw.log_pages_days.seo_visits).
  bytes_sent: Size of all answers in bytes (raw.log_pages_days.bytes_sent).
  last_status_code: HTTP status of the last request on the last of its days (raw.log_pages_days.last_status_code).
*/
WITH
  crawl AS (
    SELECT project_id, crawl_id, epoch_us(ended_at) AS ended_us
    FROM mart.crawls
    WHERE has_pages AND ended_at IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY project_id, ended_at ORDER BY crawl_id DESC) = 1
  ),

  day AS (
    SELECT DISTINCT project_id, day, epoch_us(day + 1) AS end_us
    FROM mart.log_pages_days
  ),

  crawl_day AS (
    SELECT
      day.project_id,
      day.day,
      crawl.crawl_id,
      min(day.day) OVER span AS from_day,
      max(day.day) OVER span AS to_day
    FROM day
    ASOF LEFT JOIN crawl ON crawl.project_id = day.project_id AND crawl.ended_us < day.end_us
    WINDOW span AS (PARTITION BY day.project_id, crawl.crawl_id)
  )

SELECT
  crawl_day.project_id,
  crawl_day.crawl_id,
  pages.url,
  max(crawl_day.from_day) AS from_day,
  max(crawl_day.to_day) AS to_day,
  count(*) AS days,
  sum(pages.hits)::BIGINT AS hits,
  sum(pages.bot_hits)::BIGINT AS bot_hits,
  sum(pages.seo_bot_hits)::BIGINT AS seo_bot_hits,
  sum(pages.visits)::BIGINT AS visits,
  sum(pages.seo_visits)::BIGINT AS seo_visits,
  sum(pages.bytes_sent)::BIGINT AS bytes_sent,
  arg_max(pages.last_status_code, pages.day) AS last_status_code
FROM mart.log_pages_days AS pages
JOIN crawl_day ON crawl_day.project_id = pages.project_id AND crawl_day.day = pages.day
WHERE pages.url IS NOT NULL
GROUP BY crawl_day.project_id, crawl_day.crawl_id, pages.url
