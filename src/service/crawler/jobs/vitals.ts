import type { Connection } from '../../../core/duckdb/duckdb.ts';

/** The web vitals of pages, by the pages' numbers. */
export async function vitals(connection: Connection, signal?: AbortSignal): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_vitals AS
      SELECT pages.id, vitals.* EXCLUDE (url) FROM vitals JOIN crawl_pages AS pages USING (url)`,
    [],
    signal,
  );
}
