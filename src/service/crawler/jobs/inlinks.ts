import type { Connection } from '../../../core/duckdb/duckdb.ts';

/**
 * Links to each page from other pages of the crawl, counted as often as they stand there. A page's links to itself do
 * not count, so that a page that only its own "skip to content" leads to is not linked.
 */
export async function inlinks(connection: Connection, signal?: AbortSignal): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_inlinks AS
      SELECT target AS id, count(*) AS links, count(*) FILTER (follow) AS followed
      FROM crawl_links WHERE is_page AND origin <> target GROUP BY target`,
    [],
    signal,
  );
}
