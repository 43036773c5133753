import { DuckDBListValue, DuckDBTimestampTZValue } from '@duckdb/node-api';
import type { Connection } from '../../src/core/duckdb/duckdb.ts';
import type { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';

/** Views of views have many parts; Trino runs no more than 150 by itself. */
export const SESSION = { query_max_stage_count: '2000' };

/** Rows as texts that are alike on both engines. */
export async function rowsOfDuckDB(connection: Connection, sql: string): Promise<string[]> {
  const result = await connection.inner.runAndReadAll(sql);
  return result.getRows().map((row) => JSON.stringify(row.map(plain)));
}

export async function rowsOfTrino(client: TrinoClient, sql: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { rows } of client.pages(sql, { session: SESSION })) {
    found.push(...rows.map((row) => JSON.stringify(row.map(plain))));
  }
  return found;
}

/** Times to the microsecond; fractions to nine digits, in which sums of another order agree. */
function plain(value: unknown): unknown {
  if (value instanceof DuckDBListValue) return value.items.map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof DuckDBTimestampTZValue) return `${value.micros} µs`;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) {
    const [, fraction = ''] = /\.(\d+)Z$/.exec(value) ?? [];
    const milliseconds = Date.parse(value.replace(/\.\d+Z$/, 'Z'));
    return `${BigInt(milliseconds) * 1000n + BigInt(fraction.padEnd(6, '0'))} µs`;
  }
  if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(9));
  return value === null || typeof value === 'boolean' ? value : String(value);
}
