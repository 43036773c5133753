import { type DuckDBValue, INTEGER } from '@duckdb/node-api';
import { type Connection, table, type Values } from '../../../core/duckdb/duckdb.ts';
import { StreamedRows } from '../../../core/duckdb/streamed-rows.ts';

/** The database in which the jobs make tables for each other. Its work ends with the crawl. */
export class JobTables {
  readonly #connection: Connection;
  readonly #signal: AbortSignal | undefined;
  readonly #made = new Set<string>();

  constructor(connection: Connection, signal?: AbortSignal) {
    this.#connection = connection;
    this.#signal = signal;
  }

  async make(name: string, query: string, values: Values = []): Promise<void> {
    this.#made.add(name);
    await this.#connection.run(`CREATE OR REPLACE TEMP TABLE ${name} AS ${query}`, values, this.#signal);
  }

  async add(name: string, query: string): Promise<void> {
    await this.#connection.run(`INSERT INTO ${name} ${query}`, [], this.#signal);
  }

  async drop(): Promise<void> {
    for (const name of this.#made)
      await this.#connection.run(`DROP TABLE IF EXISTS ${table('temp', 'main', name)}`);
  }

  async count(query: string): Promise<number> {
    return Number(await this.#connection.scalar(query, [], this.#signal));
  }

  async texts(query: string): Promise<string[]> {
    const rows = await this.#connection.rows(query, [], this.#signal);
    return rows.map((row) => String(Object.values(row)[0]));
  }

  /**
   * Numbers of a query, one array per column. The result is read chunk by chunk after its rows are counted, so only
   * these arrays are in memory.
   */
  async integers(query: string): Promise<Int32Array[]> {
    const count = await this.count(`SELECT count(*) FROM (${query})`);
    const rows = await StreamedRows.open(this.#connection.inner, query);
    const columns = rows.names.map(() => new Int32Array(count));
    let length = 0;
    for await (const chunk of rows.chunks()) {
      this.#signal?.throwIfAborted();
      for (const [index, column] of columns.entries()) {
        const vector = chunk.getColumnVector(index);
        for (let row = 0; row < chunk.rowCount; row++) column[length + row] = Number(vector.getItem(row));
      }
      length += chunk.rowCount;
    }
    return columns;
  }

  /** Returns the rows of a query, chunk by chunk. */
  async *rows(query: string): AsyncGenerator<DuckDBValue[]> {
    const rows = await StreamedRows.open(this.#connection.inner, query);
    for await (const chunk of rows.chunks()) {
      this.#signal?.throwIfAborted();
      yield* chunk.getRows();
    }
  }

  /** Makes a temporary table of computed rows, whose first column is a number; `columns` gives names and types. */
  async write(
    name: string,
    columns: Readonly<Record<string, 'INTEGER' | 'DOUBLE' | 'BOOLEAN'>>,
    rows: Iterable<readonly DuckDBValue[]>,
  ): Promise<void> {
    this.#made.add(name);
    const declared = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
    await this.#connection.run(`CREATE OR REPLACE TEMP TABLE ${name} (${declared.join(', ')})`);
    const appender = await this.#connection.inner.createAppender(name, 'main', 'temp');
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
}

/**
 * Returns SQL for the range of a number of links, named as in the service; the lower bound is included, the upper is
 * not.
 */
export function linkRange(count: string): string {
  return `CASE WHEN ${count} < 50 THEN '0-50' WHEN ${count} < 100 THEN '50-100' WHEN ${count} < 150 THEN '100-150' WHEN ${count} < 200 THEN '150-200' WHEN ${count} >= 200 THEN '>200' END`;
}

/** Returns SQL for the range of a status; NULL for one below 200. */
export function statusRange(status: string): string {
  return `CASE WHEN ${status} BETWEEN 200 AND 299 THEN 'ok' WHEN ${status} BETWEEN 300 AND 399 THEN 'redirect' WHEN ${status} BETWEEN 400 AND 499 THEN 'client_error' WHEN ${status} >= 500 THEN 'server_error' END`;
}

/** Returns SQL for the id of a text. The id is only a name for the text, so it is the same in each crawl of a site. */
export function hashOf(value: string): string {
  return `substr(md5(${value}), 1, 16)`;
}
