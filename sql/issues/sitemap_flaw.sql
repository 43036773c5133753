/*
title: Sitemap with a flaw
severity: low
category: sitemaps
definition: >-
  The page is the start page of a crawl that read a sitemap with a flaw: text before the XML (text_before_xml), a lastmod
  that is no W3C date (invalid_lastmod), or another host than the pages of the crawl (mart.crawl_files).
source: https://www.sitemaps.org/protocol.html
why_it_matters: Search engines ignore such entries or the whole file; the crawler reads them all the same.
fix: Write the sitemap by the protocol, on the host of its pages
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
  SELECT
    found.crawl_id,
    count(*) AS num_files,
    min(
      found.url || ': ' || CASE
        WHEN found.error = 'text_before_xml' THEN 'text before the XML'
        WHEN found.error = 'invalid_lastmod' THEN 'a lastmod is no date'
        ELSE 'on another host'
      END
    ) AS first_file
  FROM mart.crawl_files AS found
  LEFT JOIN (SELECT DISTINCT crawl_id, lower(split_part(split_part(url, '://', 2), '/', 1)) AS host FROM mart.pages) AS hosts
    ON hosts.crawl_id = found.crawl_id AND hosts.host = split_part(split_part(found.url, '://', 2), '/', 1)
  WHERE found.kind = 'sitemap' AND found.is_read AND (found.error IS NOT NULL OR hosts.host IS NULL)
  GROUP BY found.crawl_id
) AS files ON files.crawl_id = pages.crawl_id
WHERE pages.depth = 0
