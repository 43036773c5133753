/*
title: "Migration check: what became of URLs that used to answer"
task: Redirects and migrations
model: mart.redirect_map
description: >-
  URLs that answered 200 in the crawl before and don't in the main crawl of each project, with where they lead now.
  Finding is the first that holds: not_crawled (the crawl does not have the URL), not_asked (robots.txt denies the URL, or
  could not be had), not_redirected, loop, bad_target (the
  redirect does not end with a page of status 200), chain (more than one hop), canonicalised (the new page names another
  one as its canonical), title_changed, ok. Hops are 0 where the page does not redirect, NULL where it was not crawled. Clicks
  before are those on the old URL on the days that belong to the crawl before (mart.crawl_days), clicks after those on the
  new one on the days of the crawl; NULL where no search results of these days are loaded or there is no new URL. Their
  change is NULL, with the reason, where both have the same days, or one has search results of fewer days than the other. Those
  with the most clicks before come first.
parameters: [project, crawl, limit]
needs: [crawl_before]
chart: {kind: bar, x: finding, each: [project_name, crawl_id]}
*/
WITH
  pair AS (
    SELECT
      crawls.crawl_id,
      crawls.previous_crawl_id,
      crawls.project_id,
      crawls.project_name,
      crawls.crawl_config_name
    FROM mart.crawls AS crawls
    WHERE crawls.previous_crawl_id IS NOT NULL
      AND ($project IS NULL OR crawls.project_id = $project OR crawls.project_name = $project)
      AND (($crawl IS NULL AND crawls.is_main) OR crawls.crawl_id = $crawl)
  ),

  -- Without a row of these days nobody knows the clicks; with one, a URL that was not shown had none.
  known AS (
    SELECT DISTINCT crawl_id
    FROM mart.page_demand
  ),

  covered AS (
    SELECT
      crawl_id,
      min(from_date) AS from_date,
      max(to_date) AS to_date,
      CAST(
        sum(CASE WHEN dataset = 'ranking_periods' THEN date_diff('day', from_date, to_date) + 1 ELSE 1 END) AS BIGINT
      ) AS days
    FROM mart.crawl_days
    WHERE kind = 'search'
    GROUP BY crawl_id
  ),

  moved AS (
    SELECT
      pair.crawl_id,
      pair.previous_crawl_id,
      pair.project_id,
      pair.project_name,
      pair.crawl_config_name,
      earlier.url AS old_url,
      earlier.title AS old_title,
      later.url IS NOT NULL AS is_crawled,
      later.status_code,
      later.is_robots_denied,
      redirects.url IS NOT NULL AS is_redirected,
      redirects.hops,
      redirects.is_loop,
      redirects.final_url AS new_url,
      redirects.final_status_code AS new_status_code
    FROM pair
    JOIN mart.pages AS earlier ON earlier.crawl_id = pair.previous_crawl_id AND earlier.status_code = 200
    LEFT JOIN mart.pages AS later ON later.crawl_id = pair.crawl_id AND later.url = earlier.url
    LEFT JOIN mart.redirect_map AS redirects
      ON redirects.crawl_id = pair.crawl_id AND redirects.url = earlier.url AND redirects.hop = 1
    WHERE later.status_code IS NULL OR later.status_code <> 200
  ),

  checked AS (
    SELECT
      moved.crawl_id,
      moved.previous_crawl_id,
      moved.project_id,
      moved.project_name,
      moved.crawl_config_name,
      CASE
        WHEN NOT moved.is_crawled THEN 'not_crawled'
        WHEN moved.status_code IS NULL AND moved.is_robots_denied THEN 'not_asked'
        WHEN NOT moved.is_redirected THEN 'not_redirected'
        WHEN moved.is_loop THEN 'loop'
        WHEN coalesce(moved.new_status_code, 0) <> 200 THEN 'bad_target'
        WHEN moved.hops > 1 THEN 'chain'
        WHEN target.is_canonicalised THEN 'canonicalised'
        WHEN target.title <> moved.old_title THEN 'title_changed'
        ELSE 'ok'
      END AS finding,
      moved.old_url,
      moved.status_code,
      coalesce(moved.hops, CASE WHEN moved.status_code NOT BETWEEN 300 AND 399 THEN 0 END) AS hops,
      moved.new_url,
      moved.new_status_code,
      target.title = moved.old_title AS is_title_kept,
      NOT target.is_canonicalised AS is_canonical_kept,
      CASE WHEN known_before.crawl_id IS NOT NULL THEN coalesce(demand_before.clicks, 0) END AS clicks_before,
      CASE
        WHEN known_after.crawl_id IS NOT NULL AND moved.new_url IS NOT NULL THEN coalesce(demand.clicks, 0)
      END AS clicks_after
    FROM moved
    LEFT JOIN mart.pages AS target ON target.crawl_id = moved.crawl_id AND target.url = moved.new_url
    LEFT JOIN known AS known_before ON known_before.crawl_id = moved.previous_crawl_id
    LEFT JOIN known AS known_after ON known_after.crawl_id = moved.crawl_id
    LEFT JOIN mart.page_demand AS demand_before
      ON demand_before.crawl_id = moved.previous_crawl_id AND demand_before.url = moved.old_url
    LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = moved.crawl_id AND demand.url = moved.new_url
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  previous_crawl_id,
  finding,
  old_url,
  status_code,
  hops,
  new_url,
  new_status_code,
  is_title_kept,
  is_canonical_kept,
  clicks_before,
  clicks_after,
  CASE WHEN days_after = days_before AND NOT has_same_days THEN clicks_after - clicks_before END AS clicks_change,
  CASE
    WHEN clicks_after - clicks_before IS NULL THEN CAST(NULL AS VARCHAR)
    WHEN has_same_days THEN 'the crawl before has the same days, to ' || CAST(to_date AS VARCHAR)
    WHEN days_after <> days_before
      THEN 'days with search results: ' || CAST(days_after AS VARCHAR) || ', before: ' || CAST(days_before AS VARCHAR)
  END AS clicks_change_reason
FROM (
  SELECT
    checked.*,
    former.days AS days_before,
    covered.days AS days_after,
    covered.to_date,
    covered.from_date = former.from_date AND covered.to_date = former.to_date AS has_same_days,
    row_number() OVER (
      PARTITION BY checked.project_id ORDER BY coalesce(checked.clicks_before, 0) DESC, checked.old_url
    ) AS place
  FROM checked
  LEFT JOIN covered ON covered.crawl_id = checked.crawl_id
  LEFT JOIN covered AS former ON former.crawl_id = checked.previous_crawl_id
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, coalesce(clicks_before, 0) DESC, old_url
