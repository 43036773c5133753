import type { Connection } from '../../../core/duckdb/duckdb.ts';

/**
 * Facts from the sitemaps about each page: the files that list it, and the number of its images, news, videos and
 * language versions. If several files list it, the largest number counts, because they mostly list the same ones.
 *
 * Source: https://www.sitemaps.org/protocol.html and its extensions.
 */
export async function sitemaps(connection: Connection, signal?: AbortSignal): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_sitemaps AS
      SELECT id, list_sort(list_distinct(list(sitemap))) AS files, max(coalesce(len(alternate_hrefs), 0)) AS alternates,
        max(num_images) AS images, max(num_news) AS news, max(num_videos) AS videos
      FROM sitemap_urls JOIN crawl_pages USING (url) GROUP BY id`,
    [],
    signal,
  );
}
