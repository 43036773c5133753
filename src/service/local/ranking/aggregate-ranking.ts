import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { jsonCell } from '../rows/cell-sql.ts';
import type { RankingTable } from './ranking-table.ts';

/** One table of the answer as JSON text; SQL makes the rows, so that no number passes through JavaScript. */
export async function aggregateRanking(
  connection: Connection,
  { columns, sql, values }: RankingTable,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<string> {
  const cells = columns.map(jsonCell).join(", ',', ");
  const line = `SELECT concat('[', ${cells}, ']') AS line FROM (${sql} LIMIT ${limit} OFFSET ${offset})`;
  const rows = await connection.rows<{ line: string }>(line, values);
  const cols = columns.map((column) => column.field.name);
  return `{"cols":${JSON.stringify(cols)},"rows":[${rows.map((row) => row.line).join(',')}]}`;
}

/** The rows that have to be read for a query, and the days that they are of. */
export async function touchedBy(
  connection: Connection,
  { touched }: RankingTable,
): Promise<{ readonly rows: number; readonly days: number }> {
  const [found] = await connection.rows(touched.sql, touched.values);
  return { rows: Number(found?.rows ?? 0), days: Number(found?.days ?? 0) };
}
