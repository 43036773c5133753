import { type DuckDBValue, INTEGER } from '@duckdb/node-api';
import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { StreamedRows } from '../../../../core/duckdb/streamed-rows.ts';

/**
 * Numbers of a query, one array a column. The result is read chunk by chunk, and its rows are counted before, so nothing
 * but these arrays is in memory.
 */
export async function readIntegers(
  connection: Connection,
  sql: string,
  signal?: AbortSignal,
): Promise<Int32Array[]> {
  const count = Number(await connection.scalar(`SELECT count(*) FROM (${sql})`, [], signal));
  const rows = await StreamedRows.open(connection.inner, sql);
  const columns = rows.names.map(() => new Int32Array(count));
  let length = 0;
  for await (const chunk of rows.chunks()) {
    signal?.throwIfAborted();
    for (const [index, column] of columns.entries()) {
      const vector = chunk.getColumnVector(index);
      for (let row = 0; row < chunk.rowCount; row++) column[length + row] = Number(vector.getItem(row));
    }
    length += chunk.rowCount;
  }
  return columns;
}

/** Makes a temporary table of computed rows, whose first column is a number; `columns` gives names and types. */
export async function writeTable(
  connection: Connection,
  name: string,
  columns: Readonly<Record<string, 'INTEGER' | 'DOUBLE' | 'BOOLEAN'>>,
  rows: Iterable<readonly DuckDBValue[]>,
): Promise<void> {
  const declared = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${name} (${declared.join(', ')})`);
  const appender = await connection.inner.createAppender(name, 'main', 'temp');
  const types = Object.values(columns);
  try {
    for (const row of rows) {
      for (const [index, value] of row.entries())
        if (value === null) appender.appendNull();
        else if (types[index] === 'DOUBLE') appender.appendDouble(Number(value));
        else if (types[index] === 'BOOLEAN') appender.appendBoolean(value === true);
        else appender.appendValue(Number(value), INTEGER);
      appender.endRow();
    }
  } finally {
    appender.closeSync();
  }
}

/** SQL for the range that a number of links is in, as the service names them; the lower bound is in, the upper is not. */
export function linkRange(count: string): string {
  return `CASE WHEN ${count} < 50 THEN '0-50' WHEN ${count} < 100 THEN '50-100' WHEN ${count} < 150 THEN '100-150' WHEN ${count} < 200 THEN '150-200' WHEN ${count} >= 200 THEN '>200' END`;
}

/** SQL for the range of a status; NULL for one below 200. */
export function statusRange(status: string): string {
  return `CASE WHEN ${status} BETWEEN 200 AND 299 THEN 'ok' WHEN ${status} BETWEEN 300 AND 399 THEN 'redirect' WHEN ${status} BETWEEN 400 AND 499 THEN 'client_error' WHEN ${status} >= 500 THEN 'server_error' END`;
}

/** SQL for the id of something that a text names: no more than a name for it, so equal in each crawl of a site. */
export function hashOf(value: string): string {
  return `substr(md5(${value}), 1, 16)`;
}
