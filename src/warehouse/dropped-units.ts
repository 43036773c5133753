import type { Connection } from '../core/duckdb.ts';

/** Names of the units that were taken out on purpose, and are to stay out. */
export async function droppedUnits(connection: Connection): Promise<ReadonlySet<string>> {
  const rows = await connection.rows<{ unit: string }>(`SELECT unit FROM ops.units WHERE status = 'dropped'`);
  return new Set(rows.map((row) => row.unit));
}
