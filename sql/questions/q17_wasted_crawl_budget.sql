/*
title: Crawl budget wasted on URLs that are not 200, have parameters or are blocked
model: mart.page_hits
description: >-
  Hits of bots by what is wrong with the URL that they asked for: blocked by robots.txt, not 200, with parameters, or
  nothing of it; the first that holds. One row for each span of days that goes with a crawl. The status is the one that
  the log files show last (304 counts as 200), else the crawl's; a URL that the crawl does not know is not blocked.
*/
WITH hit AS (
  SELECT
    hits.project_id,
    hits.crawl_id,
    hits.from_day,
    hits.to_day,
    hits.url,
    hits.bot_hits,
    CASE
      WHEN pages.robots_txt_denied THEN 'blocked'
      WHEN coalesce(hits.last_status_code, pages.status_code) NOT IN (200, 304) THEN 'not 200'
      WHEN coalesce(pages.url_has_params, contains(hits.url, '?')) THEN 'parameters'
      ELSE 'none'
    END AS waste
  FROM mart.page_hits AS hits
  LEFT JOIN mart.pages AS pages ON pages.crawl_id = hits.crawl_id AND pages.url = hits.url
  WHERE hits.bot_hits > 0
)

SELECT
  projects.project_name,
  hit.project_id,
  hit.crawl_id,
  hit.from_day,
  hit.to_day,
  hit.waste,
  count(*) AS urls,
  sum(hit.bot_hits)::BIGINT AS bot_hits,
  round(sum(hit.bot_hits) / sum(sum(hit.bot_hits)) OVER (PARTITION BY hit.project_id, hit.crawl_id), 3) AS share,
  arg_max(hit.url, (hit.bot_hits, hit.url)) AS most_asked_url
FROM hit
LEFT JOIN mart.projects AS projects ON projects.project_id = hit.project_id
GROUP BY projects.project_name, hit.project_id, hit.crawl_id, hit.from_day, hit.to_day, hit.waste
ORDER BY project_name, project_id, from_day, bot_hits DESC, waste
