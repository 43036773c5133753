/*
title: "Migration check: where old URLs lead now"
task: Redirects and migrations
model: mart.redirect_map
description: >-
  Each row is an old URL and the page that it leads to now. Old URLs are the URLs in the urls parameter, or the URLs of
  a list crawl. Otherwise, they are the pages that returned 200 in the previous crawl and the URLs with clicks on its
  days, if the main crawl has no page with status 200 for them. The finding is the first that applies of not_known
  (no crawl read the old URL or its target; see reason), not_redirected, loop, bad_target (to an error or a noindex
  page), to_start_page, many_to_one (at least 5 old pages lead to one), other_language, canonicalised (the new page has
  a canonical to another page), temporary_redirect (302, 303 or 307), chain (more than one hop) and ok. Evidence is the
  newest response of the old URL, from the crawl, its recheck, or a list crawl after the previous crawl. Clicks before
  and after cover the same number of days and the same days of the week (days_before, days_after). If search results do
  not allow that, clicks_change is NULL with its reason. Clicks after are those of the old and the new URL together.
  clicks_at_risk are all clicks on the days of the previous crawl (mart.crawl_days) of old URLs with a finding other
  than ok. Old URLs with the most clicks at risk come first (docs/definitions.md, "Migration check").
parameters: [project, crawl, urls, limit]
needs: [crawl_before]
chart: {kind: bar, x: finding, each: [project_name, crawl_id]}
*/
WITH
  listed AS (
    SELECT DISTINCT lines.url
    FROM (SELECT split($urls, chr(10)) AS urls) AS given
    CROSS JOIN UNNEST(given.urls) AS lines(url)
  ),

  chosen AS (
    SELECT
      crawl_id,
      project_id,
      project_name,
      crawl_config_name,
      previous_crawl_id,
      ended_at,
      coalesce(is_list, false) AS is_list,
      EXISTS (SELECT 1 FROM listed) AS is_asked
    FROM mart.crawls
    WHERE has_pages
      AND ($project IS NULL OR project_id = $project OR project_name = $project)
      AND (($crawl IS NULL AND is_main) OR crawl_id = $crawl)
  ),

  -- A list of old URLs is compared with the crawl in which most of its URLs answered 200.
  former AS (
    SELECT
      crawl_id,
      previous_crawl_id,
      row_number() OVER (PARTITION BY crawl_id ORDER BY pages DESC, ended_at DESC, previous_crawl_id DESC) AS place
    FROM (
      SELECT chosen.crawl_id, crawls.crawl_id AS previous_crawl_id, crawls.ended_at, count(*) AS pages
      FROM chosen
      JOIN mart.crawls AS crawls
        ON crawls.project_id = chosen.project_id
        AND crawls.is_comparable
        AND NOT crawls.is_list
        AND crawls.ended_at < chosen.ended_at
      JOIN mart.pages AS page ON page.crawl_id = chosen.crawl_id
      JOIN mart.pages AS earlier
        ON earlier.crawl_id = crawls.crawl_id AND earlier.url = page.url AND earlier.status_code = 200
      WHERE chosen.is_list
      GROUP BY chosen.crawl_id, crawls.crawl_id, crawls.ended_at
    ) AS counted
  ),

  pair AS (
    SELECT
      chosen.crawl_id,
      chosen.project_id,
      chosen.project_name,
      chosen.crawl_config_name,
      chosen.ended_at,
      chosen.is_list,
      chosen.is_asked,
      previous.crawl_id AS previous_crawl_id,
      previous.ended_at AS previous_ended_at
    FROM chosen
    LEFT JOIN former ON former.crawl_id = chosen.crawl_id AND former.place = 1
    LEFT JOIN mart.crawls AS previous
      ON previous.crawl_id = CASE WHEN chosen.is_list THEN former.previous_crawl_id ELSE chosen.previous_crawl_id END
    WHERE chosen.is_asked OR chosen.is_list OR previous.crawl_id IS NOT NULL
  ),

  source AS (
    SELECT
      crawl_id,
      crawl_id AS source_id,
      CASE WHEN is_list THEN 'list_crawl' ELSE 'crawl' END AS evidence,
      ended_at
    FROM pair

    UNION ALL
    SELECT pair.crawl_id, lists.crawl_id, 'list_crawl', lists.ended_at
    FROM pair
    JOIN mart.crawls AS lists
      ON lists.project_id = pair.project_id
      AND lists.is_list
      AND lists.has_pages
      AND coalesce(lists.ended_at > pair.previous_ended_at, true)
    WHERE NOT pair.is_list
  ),

  -- The requests of the crawls besides their pages.
  request AS (
    SELECT
      crawl_id,
      url,
      status_code,
      redirect_location,
      redirect_to_final_url AS final_url,
      final_status_code,
      is_indexable,
      canonical_url,
      CASE state WHEN 'blocked' THEN 'blocked_by_robots' WHEN 'unknown' THEN 'robots_unavailable' ELSE state END AS state
    FROM mart.rechecks
    WHERE crawl_id IN (SELECT source_id FROM source)

    UNION ALL
    SELECT
      targets.crawl_id,
      targets.url,
      targets.status_code,
      targets.redirect_location,
      targets.final_url,
      targets.final_status_code,
      targets.is_indexable,
      targets.canonical_url,
      CASE
        WHEN targets.is_robots_denied THEN 'blocked_by_robots'
        WHEN targets.status_code IN (401, 403, 429, 503) THEN 'refused'
        ELSE 'unreadable'
      END
    FROM mart.declared_targets AS targets
    LEFT JOIN mart.rechecks AS rechecks ON rechecks.crawl_id = targets.crawl_id AND rechecks.url = targets.url
    WHERE targets.crawl_id IN (SELECT source_id FROM source) AND rechecks.url IS NULL
  ),

  -- URLs with an answer other than a page of the crawl itself.
  other AS (
    SELECT source.crawl_id, page.url
    FROM source
    JOIN mart.pages AS page ON page.crawl_id = source.source_id
    WHERE source.source_id <> source.crawl_id

    UNION
    SELECT source.crawl_id, request.url
    FROM source
    JOIN request ON request.crawl_id = source.source_id
  ),

  -- Pages with status 200 and no other answer still work.
  working AS (
    SELECT pair.crawl_id, page.url
    FROM pair
    JOIN mart.pages AS page ON page.crawl_id = pair.crawl_id AND page.status_code = 200
    LEFT JOIN other ON other.crawl_id = pair.crawl_id AND other.url = page.url
    WHERE other.url IS NULL
  ),

  old AS (
    SELECT known.crawl_id, known.url
    FROM (
      SELECT pair.crawl_id, page.url
      FROM pair
      JOIN mart.pages AS page ON page.crawl_id = pair.previous_crawl_id AND page.status_code = 200
      WHERE NOT pair.is_asked AND NOT pair.is_list

      UNION ALL
      SELECT pair.crawl_id, demand.url
      FROM pair
      JOIN mart.page_demand AS demand ON demand.crawl_id = pair.previous_crawl_id AND demand.clicks > 0
      WHERE NOT pair.is_asked AND NOT pair.is_list
    ) AS known
    LEFT JOIN working ON working.crawl_id = known.crawl_id AND working.url = known.url
    WHERE working.url IS NULL

    UNION
    SELECT pair.crawl_id, page.url
    FROM pair
    JOIN mart.pages AS page ON page.crawl_id = pair.crawl_id
    WHERE NOT pair.is_asked AND pair.is_list
      -- The condition is not computed for other crawls.
      AND CASE WHEN pair.is_list THEN ',' || array_to_string(page.sources, ',') || ',' LIKE '%,ingested_data,%' END

    UNION
    SELECT pair.crawl_id, listed.url
    FROM pair
    CROSS JOIN listed
  ),

  page_chain AS (
    SELECT
      crawl_id,
      url,
      max(hops) AS hops,
      max(final_url) AS final_url,
      max(final_status_code) AS final_status_code,
      bool_or(is_loop) AS is_loop,
      bool_or(hop_status_code IN (302, 303, 307)) AS is_temporary
    FROM mart.redirect_map
    WHERE crawl_id IN (SELECT source_id FROM source)
    GROUP BY crawl_id, url
  ),

  -- Hops from a page to a request that is no page of the crawl, and back. The next hop is a page or another request.
  chain AS (
    SELECT
      page_chain.crawl_id,
      page_chain.url,
      false AS is_recheck,
      page_chain.hops
        + CASE
          WHEN next.url IS NULL THEN 0
          WHEN coalesce(next.redirect_location = next.final_url, true) THEN 1
          ELSE 2
        END AS hops,
      coalesce(next.final_url, page_chain.final_url) AS final_url,
      CASE WHEN next.url IS NULL THEN page_chain.final_status_code ELSE next.final_status_code END AS final_status_code,
      page_chain.is_loop OR next.url IS NOT NULL AND next.final_url IS NULL AS is_loop,
      page_chain.is_temporary OR coalesce(next.status_code IN (302, 303, 307), false) AS is_temporary
    FROM page_chain
    LEFT JOIN request AS next
      ON next.crawl_id = page_chain.crawl_id
      AND next.url = page_chain.final_url
      AND next.status_code BETWEEN 300 AND 399
      AND next.redirect_location IS NOT NULL

    UNION ALL
    SELECT
      request.crawl_id,
      request.url,
      true,
      1 + coalesce(
        further.hops,
        CASE
          WHEN next.url IS NULL OR next.url = request.url THEN 0
          WHEN coalesce(next.redirect_location = request.final_url, true) THEN 1
          ELSE 2
        END
      ),
      coalesce(request.final_url, request.redirect_location),
      request.final_status_code,
      request.final_url IS NULL,
      request.status_code IN (302, 303, 307)
        OR coalesce(further.is_temporary, false)
        OR coalesce(next.status_code IN (302, 303, 307), false)
    FROM request
    LEFT JOIN page_chain AS further ON further.crawl_id = request.crawl_id AND further.url = request.redirect_location
    LEFT JOIN request AS next
      ON next.crawl_id = request.crawl_id
      AND next.url = request.redirect_location
      AND next.status_code BETWEEN 300 AND 399
      AND next.redirect_location IS NOT NULL
    WHERE request.status_code BETWEEN 300 AND 399 AND request.redirect_location IS NOT NULL
  ),

  -- Other URLs need no answer.
  asked AS (
    SELECT crawl_id, url
    FROM old

    UNION
    SELECT source.crawl_id, chain.final_url
    FROM source
    JOIN chain ON chain.crawl_id = source.source_id
  ),

  page AS (
    SELECT
      source.crawl_id,
      source.source_id,
      source.evidence,
      source.ended_at,
      page.url,
      page.status_code,
      page.observation_reason,
      coalesce(page.status_code BETWEEN 200 AND 399 OR page.observation = 'gone', false) AS is_decisive,
      page.title,
      page.language,
      page.is_noindex,
      page.is_canonicalised,
      page.hreflang_hrefs,
      page.hreflang_langs
    FROM source
    JOIN asked ON asked.crawl_id = source.crawl_id
    JOIN mart.pages AS page ON page.crawl_id = source.source_id AND page.url = asked.url
  ),

  -- Old URLs in the previous crawl.
  page_before AS (
    SELECT
      old.crawl_id,
      pair.previous_crawl_id,
      page.url,
      page.title,
      page.language,
      page.hreflang_hrefs,
      page.hreflang_langs
    FROM old
    JOIN pair ON pair.crawl_id = old.crawl_id
    JOIN mart.pages AS page ON page.crawl_id = pair.previous_crawl_id AND page.url = old.url
  ),

  -- The newest answer with a target, else the newest other one.
  seen AS (
    SELECT *
    FROM (
      SELECT
        answers.*,
        row_number() OVER (
          PARTITION BY crawl_id, url
          ORDER BY CASE WHEN is_decisive THEN 0 ELSE 1 END, ended_at DESC NULLS LAST, evidence, source_id DESC
        ) AS place
      FROM (
        SELECT
          crawl_id,
          source_id,
          evidence,
          ended_at,
          url,
          status_code,
          observation_reason,
          is_decisive,
          title,
          language,
          is_noindex,
          is_canonicalised
        FROM page

        UNION ALL
        SELECT
          source.crawl_id,
          source.source_id,
          'recheck',
          source.ended_at,
          request.url,
          request.status_code,
          CASE
            WHEN request.status_code = 404 THEN 'not_found'
            WHEN request.status_code = 410 THEN 'removed'
            WHEN request.status_code BETWEEN 200 AND 399 THEN NULL
            ELSE request.state
          END,
          coalesce(request.status_code BETWEEN 200 AND 399 OR request.status_code IN (404, 410), false),
          CAST(NULL AS VARCHAR),
          CAST(NULL AS VARCHAR),
          request.status_code = 200 AND NOT request.is_indexable AND coalesce(request.canonical_url = request.url, true),
          CASE WHEN request.status_code = 200 THEN request.canonical_url <> request.url END
        FROM source
        JOIN request ON request.crawl_id = source.source_id
      ) AS answers
    ) AS ranked
    WHERE place = 1
  ),

  -- The language that these pages declare for themselves, as in mart.page_hreflangs.
  declared AS (
    SELECT crawl_id, source_id, url, min(lower(split_part(lang, '-', 1))) AS own_lang
    FROM (
      SELECT sides.crawl_id, sides.source_id, sides.url, list_extract(sides.hreflang_langs, hrefs.place) AS lang
      FROM (
        SELECT crawl_id, source_id, url, hreflang_hrefs, hreflang_langs
        FROM page
        UNION ALL
        SELECT crawl_id, previous_crawl_id, url, hreflang_hrefs, hreflang_langs
        FROM page_before
      ) AS sides
      CROSS JOIN UNNEST(sides.hreflang_hrefs) WITH ORDINALITY AS hrefs(href, place)
      WHERE array_length(sides.hreflang_hrefs) > 0
        AND array_length(sides.hreflang_langs) = array_length(sides.hreflang_hrefs)
        AND hrefs.href = sides.url
    ) AS own
    WHERE lower(lang) <> 'x-default'
    GROUP BY crawl_id, source_id, url
  ),

  led AS (
    SELECT
      pair.crawl_id,
      pair.previous_crawl_id,
      pair.project_id,
      pair.project_name,
      pair.crawl_config_name,
      old.url AS old_url,
      seen.status_code,
      seen.observation_reason,
      seen.evidence,
      seen.source_id,
      coalesce(seen.is_decisive, false) AS is_decisive,
      chain.hops,
      chain.is_loop,
      chain.is_temporary,
      chain.final_url AS new_url,
      CASE
        WHEN chain.final_status_code = 200 THEN 200
        ELSE coalesce(target.status_code, chain.final_status_code)
      END AS new_status_code,
      target.observation_reason AS target_reason,
      target.is_noindex,
      target.is_canonicalised,
      earlier.title AS old_title,
      target.title AS new_title,
      old_declared.own_lang AS old_lang,
      new_declared.own_lang AS new_lang,
      earlier.language AS old_language,
      target.language AS new_language,
      -- For https://de.example.org/en-gb/a, the directory en-gb and the label de.
      split_part(split_part(old.url, '://', 2), '/', 2) AS old_directory,
      split_part(split_part(old.url, '://', 2), '.', 1) AS old_label,
      split_part(split_part(chain.final_url, '://', 2), '/', 2) AS new_directory,
      split_part(split_part(chain.final_url, '://', 2), '.', 1) AS new_label,
      regexp_replace(lower(split_part(split_part(old.url, '#', 1), '?', 1)), '^https?://[^/]*', '') AS old_path,
      regexp_replace(lower(split_part(chain.final_url, '#', 1)), '^https?://[^/?]*', '') AS new_path
    FROM old
    JOIN pair ON pair.crawl_id = old.crawl_id
    LEFT JOIN seen ON seen.crawl_id = old.crawl_id AND seen.url = old.url
    LEFT JOIN chain
      ON chain.crawl_id = seen.source_id AND chain.url = seen.url AND chain.is_recheck = (seen.evidence = 'recheck')
    LEFT JOIN seen AS target ON target.crawl_id = old.crawl_id AND target.url = chain.final_url
    LEFT JOIN page_before AS earlier ON earlier.crawl_id = old.crawl_id AND earlier.url = old.url
    LEFT JOIN declared AS old_declared
      ON old_declared.crawl_id = old.crawl_id
      AND old_declared.source_id = pair.previous_crawl_id
      AND old_declared.url = old.url
    LEFT JOIN declared AS new_declared
      ON new_declared.crawl_id = target.crawl_id
      AND new_declared.source_id = target.source_id
      AND new_declared.url = target.url
    WHERE pair.is_asked
      OR pair.is_list
      OR seen.status_code IS NULL
      OR seen.status_code <> 200
      -- The page answers, and no link of the crawl leads to it.
      OR seen.evidence = 'recheck'
  ),

  placed AS (
    SELECT
      led.*,
      regexp_replace(old_path, '/+$', '') AS old_page,
      CASE
        WHEN regexp_matches(old_directory, '^[A-Za-z][A-Za-z]([-_][A-Za-z][A-Za-z])?$') THEN lower(substr(old_directory, 1, 2))
        WHEN regexp_matches(old_label, '^[A-Za-z][A-Za-z]([-_][A-Za-z][A-Za-z])?$') THEN lower(substr(old_label, 1, 2))
      END AS old_locale,
      CASE
        WHEN regexp_matches(new_directory, '^[A-Za-z][A-Za-z]([-_][A-Za-z][A-Za-z])?$') THEN lower(substr(new_directory, 1, 2))
        WHEN regexp_matches(new_label, '^[A-Za-z][A-Za-z]([-_][A-Za-z][A-Za-z])?$') THEN lower(substr(new_label, 1, 2))
      END AS new_locale
    FROM led
  ),

  -- Spellings of one address, such as with and without a trailing slash, are one old page.
  merged AS (
    SELECT crawl_id, new_url, count(DISTINCT old_page) AS old_pages
    FROM placed
    WHERE new_url IS NOT NULL
    GROUP BY crawl_id, new_url
  ),

  judged AS (
    SELECT
      placed.*,
      merged.old_pages,
      CASE
        WHEN NOT placed.is_decisive THEN 'not_known'
        WHEN placed.new_url IS NULL THEN 'not_redirected'
        WHEN placed.is_loop THEN 'loop'
        WHEN placed.new_status_code IN (401, 403, 429, 503) THEN 'not_known'
        WHEN placed.new_status_code IS NULL AND coalesce(placed.target_reason, '') NOT IN ('no_answer', 'unreadable')
          THEN 'not_known'
        WHEN coalesce(placed.new_status_code, 0) <> 200 OR coalesce(placed.is_noindex, false) THEN 'bad_target'
        WHEN placed.new_path IN ('', '/')
          AND regexp_replace(placed.old_page, '^(/[a-z][a-z]([-_][a-z][a-z])?)?(/(index|default|home|start|main)?([.][a-z]+)?)?$', '') <> ''
          THEN 'to_start_page'
        WHEN merged.old_pages >= 5 THEN 'many_to_one'
        -- The first two values that both pages have.
        WHEN CASE
          WHEN placed.old_lang IS NOT NULL AND placed.new_lang IS NOT NULL THEN placed.old_lang <> placed.new_lang
          WHEN placed.old_language IS NOT NULL AND placed.new_language IS NOT NULL
            THEN lower(placed.old_language) <> lower(placed.new_language)
          ELSE coalesce(placed.old_locale <> placed.new_locale, false)
        END THEN 'other_language'
        WHEN coalesce(placed.is_canonicalised, false) THEN 'canonicalised'
        WHEN placed.is_temporary THEN 'temporary_redirect'
        WHEN placed.hops > 1 THEN 'chain'
        ELSE 'ok'
      END AS finding
    FROM placed
    LEFT JOIN merged ON merged.crawl_id = placed.crawl_id AND merged.new_url = placed.new_url
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

  -- Days after those of the previous crawl. Each is paired with the last day of the previous crawl's days with the same
  -- weekday that all have.
  day_pair AS (
    SELECT shifted.crawl_id, shifted.project_id, shifted.day_before, shifted.day_after
    FROM (
      SELECT
        pair.crawl_id,
        pair.project_id,
        pair.previous_crawl_id,
        later.data_date AS day_after,
        CAST(
          later.data_date
            - CAST(7 * floor(CAST(date_diff('day', former.to_date, covered.to_date) + 6 AS DOUBLE) / 7) AS BIGINT) * INTERVAL '1' DAY
          AS DATE
        ) AS day_before
      FROM pair
      JOIN covered ON covered.crawl_id = pair.crawl_id
      JOIN covered AS former ON former.crawl_id = pair.previous_crawl_id
      JOIN mart.crawl_days AS later
        ON later.crawl_id = pair.crawl_id
        AND later.dataset = 'ranking_performance'
        AND later.data_date > former.to_date
    ) AS shifted
    JOIN mart.crawl_days AS earlier
      ON earlier.crawl_id = shifted.previous_crawl_id
      AND earlier.dataset = 'ranking_performance'
      AND earlier.data_date = shifted.day_before
  ),

  clicked AS (
    SELECT
      days.crawl_id,
      performance.url,
      CAST(sum(CASE WHEN days.is_before THEN performance.clicks ELSE 0 END) AS BIGINT) AS clicks_before,
      CAST(sum(CASE WHEN days.is_before THEN 0 ELSE performance.clicks END) AS BIGINT) AS clicks_after
    FROM (
      SELECT crawl_id, project_id, day_before AS data_date, true AS is_before FROM day_pair
      UNION ALL
      SELECT crawl_id, project_id, day_after, false FROM day_pair
    ) AS days
    JOIN mart.ranking_performance AS performance
      ON performance.project_id = days.project_id AND performance.date = days.data_date
    WHERE performance.url IS NOT NULL
    GROUP BY days.crawl_id, performance.url
  ),

  -- Clicks of the same number of days, else of all days of both crawls if they do not overlap.
  span AS (
    SELECT
      pair.crawl_id,
      former.days AS all_days_before,
      former.to_date,
      paired.days IS NOT NULL AS is_paired,
      coalesce(paired.days, former.days) AS days_before,
      coalesce(paired.days, CASE WHEN covered.from_date > former.to_date THEN covered.days END) AS days_after
    FROM pair
    LEFT JOIN covered ON covered.crawl_id = pair.crawl_id
    LEFT JOIN covered AS former ON former.crawl_id = pair.previous_crawl_id
    LEFT JOIN (SELECT crawl_id, count(*) AS days FROM day_pair GROUP BY crawl_id) AS paired
      ON paired.crawl_id = pair.crawl_id
  ),

  counted AS (
    SELECT
      judged.*,
      span.to_date,
      span.days_before,
      span.days_after,
      CASE
        WHEN span.all_days_before IS NULL THEN NULL
        WHEN judged.finding = 'ok' THEN 0
        ELSE coalesce(demand_before.clicks, 0)
      END AS clicks_at_risk,
      CASE
        WHEN span.is_paired THEN coalesce(clicked.clicks_before, 0)
        WHEN span.days_before IS NOT NULL THEN coalesce(demand_before.clicks, 0)
      END AS clicks_before,
      CASE
        WHEN judged.new_url IS NULL THEN NULL
        WHEN span.is_paired THEN coalesce(new_clicked.clicks_before, 0)
        WHEN span.days_before IS NOT NULL THEN coalesce(new_demand_before.clicks, 0)
      END AS new_url_clicks_before,
      CASE
        WHEN span.is_paired THEN coalesce(clicked.clicks_after, 0) + coalesce(new_clicked.clicks_after, 0)
        WHEN span.days_after IS NOT NULL THEN coalesce(demand.clicks, 0) + coalesce(new_demand.clicks, 0)
      END AS clicks_after
    FROM judged
    JOIN span ON span.crawl_id = judged.crawl_id
    LEFT JOIN clicked ON clicked.crawl_id = judged.crawl_id AND clicked.url = judged.old_url
    LEFT JOIN clicked AS new_clicked
      ON new_clicked.crawl_id = judged.crawl_id AND new_clicked.url = judged.new_url AND judged.new_url <> judged.old_url
    LEFT JOIN mart.page_demand AS demand_before
      ON demand_before.crawl_id = judged.previous_crawl_id AND demand_before.url = judged.old_url
    LEFT JOIN mart.page_demand AS new_demand_before
      ON new_demand_before.crawl_id = judged.previous_crawl_id
      AND new_demand_before.url = judged.new_url
      AND judged.new_url <> judged.old_url
    LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = judged.crawl_id AND demand.url = judged.old_url
    LEFT JOIN mart.page_demand AS new_demand
      ON new_demand.crawl_id = judged.crawl_id AND new_demand.url = judged.new_url AND judged.new_url <> judged.old_url
  )

SELECT
  project_name,
  crawl_config_name,
  crawl_id,
  previous_crawl_id,
  finding,
  CASE
    WHEN NOT is_decisive THEN coalesce(observation_reason, 'not_requested')
    WHEN finding = 'not_known' THEN 'target_' || coalesce(target_reason, 'not_requested')
    WHEN finding = 'not_redirected' THEN observation_reason
    WHEN finding = 'bad_target' THEN CASE WHEN new_status_code = 200 THEN 'noindex' ELSE target_reason END
  END AS reason,
  old_url,
  status_code,
  evidence,
  source_id AS evidence_crawl_id,
  coalesce(hops, CASE WHEN is_decisive AND status_code NOT BETWEEN 300 AND 399 THEN 0 END) AS hops,
  is_temporary,
  new_url,
  new_status_code,
  old_pages,
  new_title = old_title AS is_title_kept,
  NOT is_canonicalised AS is_canonical_kept,
  clicks_at_risk,
  clicks_before,
  new_url_clicks_before,
  clicks_after,
  days_before,
  days_after,
  CASE
    WHEN days_before = days_after THEN clicks_after - clicks_before - coalesce(new_url_clicks_before, 0)
  END AS clicks_change,
  CASE
    WHEN days_before IS NULL THEN 'no search results of the days of the previous crawl'
    WHEN days_after IS NULL THEN 'no search results after ' || CAST(to_date AS VARCHAR)
    WHEN days_after <> days_before
      THEN 'days with search results: ' || CAST(days_after AS VARCHAR) || ', before: ' || CAST(days_before AS VARCHAR)
  END AS clicks_change_reason
FROM (
  SELECT
    counted.*,
    row_number() OVER (
      PARTITION BY project_id
      ORDER BY coalesce(clicks_at_risk, 0) DESC, coalesce(clicks_before, 0) DESC, old_url
    ) AS place
  FROM counted
) AS ranked
WHERE $limit IS NULL OR place <= $limit
ORDER BY project_name, crawl_id, coalesce(clicks_at_risk, 0) DESC, coalesce(clicks_before, 0) DESC, old_url
