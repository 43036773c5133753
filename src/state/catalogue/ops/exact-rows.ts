import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { parseJson } from '../../../core/text/json.ts';

/** Rows as JSON has them: whole numbers are numbers, or bigints where a number can't hold them. */
export async function exactRows<T>(
  connection: Connection,
  sql: string,
  values: readonly string[] = [],
): Promise<T[]> {
  const rows = await connection.rows<{ row: string }>(
    `SELECT CAST(to_json(answer) AS VARCHAR) AS "row" FROM (${sql}) AS answer`,
    [...values],
  );
  return rows.map(({ row }) => parseJson(row) as T);
}
