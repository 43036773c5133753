/*
title: Sitemap that could not be read
severity: medium
category: sitemaps
definition: >-
  The page is the start page of a crawl that could not read a sitemap: robots.txt, a sitemap index or the configuration names
  it, and it answers with an error, is no sitemap (such as a page of HTML), or is not whole (mart.crawl_files).
source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
why_it_matters: Search engines read a sitemap as the crawler does; pages that only this one lists are not found.
fix: Let the sitemap answer with status 200 and whole XML, or remove its line from robots.txt
mended_by: server
evidence: [depth]
*/
SELECT
  pages.crawl_id,
  pages.project_id,
  pages.url,
  files.first_file || CASE
    WHEN files.num_files > 1 THEN '; ' || CAST(files.num_files AS VARCHAR) || ' sitemaps in all'
    ELSE ''
  END AS why
FROM mart.pages AS pages
JOIN (
  SELECT crawl_id, count(*) AS num_files, min(
    url || ': ' || CASE
      WHEN error LIKE 'status%' THEN 'HTTP status ' || CAST(status_code AS VARCHAR)
      WHEN error = 'not_a_sitemap' THEN 'no sitemap, such as a page of HTML'
      WHEN error = 'broken' THEN 'the XML ends too early'
      WHEN error = 'truncated' THEN 'the file is not whole'
      ELSE replace(error, '_', ' ')
    END
  ) AS first_file
  FROM mart.crawl_files
  WHERE kind = 'sitemap' AND NOT is_read AND error <> 'over_budget' AND coalesce(status_code, 0) NOT IN (401, 403, 429)
  GROUP BY crawl_id
) AS files ON files.crawl_id = pages.crawl_id
WHERE pages.depth = 0
