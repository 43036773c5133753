import type { Connection } from '../../../core/duckdb/duckdb.ts';

/** Links of each page, counted as often as they stand there, those to the page itself too. */
export async function outlinks(connection: Connection, signal?: AbortSignal): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_outlinks AS
      SELECT origin AS id,
        count(*) FILTER (intern) AS internal, count(*) FILTER (intern AND follow) AS internal_followed,
        count(*) FILTER (NOT intern) AS "external", count(*) FILTER (NOT intern AND follow) AS external_followed,
        count(*) FILTER (origin = target) AS to_itself
      FROM crawl_links GROUP BY origin`,
    [],
    signal,
  );
}
