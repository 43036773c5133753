/*
name: mart.crawl_coverage
kind: table
description: >-
  How much of its website a crawl read, one row for each crawl with pages. mart.crawls derives from it which conclusions
  the crawl allows.
grain: [crawl_id]
columns:
  crawl_id: Identifier of the crawl.
  project_id: Identifier of its project.
  known_pages: Number of pages that the crawl knows.
  read_pages: Number of known pages that were read or are gone (mart.pages.observation).
  blocked_pages: Number of known pages that were not requested because of robots.txt.
  refused_pages: Number of known pages that the server refused to the crawler.
  unreadable_pages: Number of known pages with no response, a server error or a broken body.
  sitemap_pages: Number of pages that a sitemap lists.
  median_depth: >-
    Median depth of the indexable pages: the middle depth, or the mean of the two middle depths. NULL if no depth is
    known.
  sitemaps: >-
    Number of sitemap files that the crawl requested (mart.crawl_files); NULL if the crawl does not report them.
  unread_sitemaps: Number of these files that the crawl could not read.
  start_url: URL of the start page, which has depth 0; if there are several, the first in byte order.
  unread_sitemap: >-
    One of the unread files, and the reason: an error, not a sitemap, or incomplete. NULL if only a refusal (401, 403,
    429) or the time for sitemaps kept the crawl from reading them.
  flawed_sitemap: >-
    One of the files that were read and have a flaw, with the flaw: text_before_xml, relative_url or invalid_lastmod
    (mart.crawl_files.error), or a host other than that of the robots.txt or index that lists it.
  is_app_shell: >-
    Whether the start page is the shell of an application that was not rendered (mart.pages.is_app_shell), so that no
    link of the website is known.
  is_list: >-
    Whether it is the crawl of a list of URLs: no page is deeper than 0, no page has nb_inlinks, and its export has the
    field depth or a page with the source ingested_data.
reads:
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  within: [mart.pages, mart.crawl_files]
  partitions: |
    SELECT source_id AS crawl_id, dataset, loaded_at
    FROM ops.loads
    WHERE dataset IN ('crawl_pages', 'crawl_requests')
*/
SELECT
  pages.crawl_id,
  min(pages.project_id) AS project_id,
  count(*) AS known_pages,
  count(CASE WHEN coalesce(pages.observation, 'read') IN ('read', 'gone') THEN 1 END) AS read_pages,
  count(CASE WHEN pages.observation_reason = 'blocked_by_robots' THEN 1 END) AS blocked_pages,
  count(CASE WHEN pages.observation = 'refused' THEN 1 END) AS refused_pages,
  count(CASE WHEN pages.observation = 'unreadable' THEN 1 END) AS unreadable_pages,
  count(CASE WHEN array_length(pages.sitemaps_file_origin) > 0 THEN 1 END) AS sitemap_pages,
  min(usual.depth) AS median_depth,
  min(files.sitemaps) AS sitemaps,
  min(files.unread_sitemaps) AS unread_sitemaps,
  min(CASE WHEN pages.depth = 0 THEN pages.url END) AS start_url,
  min(files.unread_sitemap) AS unread_sitemap,
  min(files.flawed_sitemap) AS flawed_sitemap,
  coalesce(bool_or(pages.is_app_shell AND pages.depth = 0), false) AS is_app_shell,
  coalesce(max(pages.depth), 0) <= 0
    AND count(pages.nb_inlinks) = 0
    AND (
      min(fields.crawl_id) IS NOT NULL
      OR count(CASE WHEN ',' || array_to_string(pages.sources, ',') || ',' LIKE '%,ingested_data,%' THEN 1 END) > 0
    ) AS is_list
FROM mart.pages AS pages
LEFT JOIN mart.crawl_fields AS fields
  ON fields.crawl_id = pages.crawl_id AND fields.dataset = 'crawl_pages' AND fields.field = 'depth'
LEFT JOIN (
  SELECT
    crawl_id,
    count(CASE WHEN kind = 'sitemap' THEN 1 END) AS sitemaps,
    count(CASE WHEN kind = 'sitemap' AND NOT is_read THEN 1 END) AS unread_sitemaps,
    min(
      CASE
        WHEN kind <> 'sitemap' OR is_read OR error = 'over_budget' OR status_code IN (401, 403, 429) THEN NULL
        WHEN error LIKE 'status%' THEN url || ': HTTP status ' || CAST(status_code AS VARCHAR)
        WHEN error = 'not_a_sitemap' THEN url || ': no sitemap, such as a page of HTML'
        WHEN error = 'broken' THEN url || ': the XML ends too early'
        WHEN error = 'truncated' THEN url || ': the file is not whole'
        ELSE url || ': ' || replace(error, '_', ' ')
      END
    ) AS unread_sitemap,
    min(
      CASE
        WHEN kind <> 'sitemap' OR NOT is_read THEN NULL
        WHEN error = 'text_before_xml' THEN url || ': text before the XML'
        WHEN error = 'relative_url' THEN url || ': a URL without scheme and host'
        WHEN error = 'invalid_lastmod' THEN url || ': a lastmod is no date'
        WHEN split_part(split_part(url, '://', 2), '/', 1) <> split_part(split_part(source_url, '://', 2), '/', 1)
          THEN url || ': on another host than ' || source_url || ', which lists it'
      END
    ) AS flawed_sitemap
  FROM mart.crawl_files
  GROUP BY crawl_id
) AS files ON files.crawl_id = pages.crawl_id
LEFT JOIN (
  SELECT crawl_id, avg(CASE WHEN 2 * (up_to - pages) <= all_pages AND 2 * up_to >= all_pages THEN depth END) AS depth
  FROM (
    SELECT
      crawl_id,
      depth,
      pages,
      sum(pages) OVER (PARTITION BY crawl_id ORDER BY depth) AS up_to,
      sum(pages) OVER (PARTITION BY crawl_id) AS all_pages
    FROM (
      SELECT crawl_id, depth, count(*) AS pages
      FROM mart.pages
      WHERE is_indexable AND depth IS NOT NULL
      GROUP BY crawl_id, depth
    ) AS counted
  ) AS summed
  GROUP BY crawl_id
) AS usual ON usual.crawl_id = pages.crawl_id
GROUP BY pages.crawl_id
