import type { Connection } from '../core/duckdb.ts';

/** The condition on rows of a raw table that are there now: lists of resources hold former records too. */
export async function presentRows(connection: Connection, catalog: string, dataset: string): Promise<string> {
  const found = await connection.scalar(
    `SELECT count(*) FROM duckdb_columns()
     WHERE database_name = ? AND schema_name = 'raw' AND table_name = ? AND column_name = '_seen_to'`,
    [catalog, dataset],
  );
  return found === 0n ? 'true' : '_seen_to IS NULL';
}
