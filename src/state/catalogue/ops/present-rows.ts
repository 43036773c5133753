import type { Connection } from '../../../core/duckdb/duckdb.ts';

/** The condition on rows of a raw table that are there now: lists of resources hold former records too. */
export async function presentRows(
  connection: Connection,
  catalog: string,
): Promise<(dataset: string) => string> {
  const rows = await connection.rows<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_columns()
     WHERE database_name = ? AND schema_name = 'raw' AND column_name = '_seen_to'`,
    [catalog],
  );
  const withHistory = new Set(rows.map(({ name }) => name));
  return (dataset) => (withHistory.has(dataset) ? '_seen_to IS NULL' : 'true');
}
