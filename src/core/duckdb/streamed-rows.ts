import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBPreparedStatement,
  DuckDBResult,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api';
import { succeeds } from '../errors/errors.ts';
import type { Values } from './duckdb.ts';
import { prepareOne } from './one-statement.ts';

/** Values by position, or by the name of a `$name`. */
type Bound = Values | Readonly<Record<string, DuckDBValue>>;
/** The values, or what reads them from the prepared statement. */
type Given = Bound | ((statement: DuckDBPreparedStatement) => Promise<Bound>);

/**
 * Rows of a query as they are computed, in bounded memory. The bindings end a failed or interrupted stream like a
 * complete one. Therefore, the query runs in its own transaction, which a failure aborts.
 */
export class StreamedRows {
  /** Unique column names. */
  names: readonly string[];
  readonly #connection: DuckDBConnection;
  readonly #result: DuckDBResult;
  readonly #sql: string;
  readonly #values: Given;

  private constructor(connection: DuckDBConnection, result: DuckDBResult, sql: string, values: Given) {
    this.#connection = connection;
    this.#result = result;
    this.#sql = sql;
    this.#values = values;
    this.names = result.deduplicatedColumnNames();
  }

  /** Starts one read-only statement, which occupies the connection until `chunks` has ended. */
  static async open(connection: DuckDBConnection, sql: string, values: Given = []): Promise<StreamedRows> {
    await connection.run('BEGIN TRANSACTION READ ONLY');
    try {
      const result = await once(connection, sql, values, (statement) => statement.stream());
      return new StreamedRows(connection, result, sql, values);
    } catch (error) {
      await connection.run('ROLLBACK');
      throw error;
    }
  }

  get types(): readonly DuckDBType[] {
    return this.#result.columnTypes();
  }

  /** Yields the rows, chunk by chunk; a chunk is freed when the next one is requested. */
  async *chunks(): AsyncGenerator<DuckDBDataChunk> {
    let whole = false;
    try {
      for (;;) {
        const chunk = await this.#result.fetchChunk();
        if (!chunk || chunk.rowCount === 0) break;
        yield chunk;
        // The garbage collector does not know the size of a chunk.
        chunk.reset();
      }
      whole = await succeeds(this.#connection.run('SELECT 1'));
    } finally {
      // The earlier failure has its own error.
      await this.#connection.run('ROLLBACK').catch(() => {});
    }
    if (whole) return;
    // The stream has no error message; running the query without its rows returns it.
    await once(this.#connection, `EXPLAIN ANALYZE ${this.#sql}`, this.#values, (statement) =>
      statement.run(),
    );
    throw new Error('the query was interrupted');
  }

  /** Returns all rows together, for small results. */
  async rows(): Promise<DuckDBValue[][]> {
    const rows: DuckDBValue[][] = [];
    for await (const chunk of this.chunks()) rows.push(...chunk.getRows());
    return rows;
  }
}

async function once(
  connection: DuckDBConnection,
  sql: string,
  values: Given,
  run: (statement: DuckDBPreparedStatement) => Promise<DuckDBResult>,
): Promise<DuckDBResult> {
  const statement = await prepareOne(connection, sql);
  try {
    statement.bind(mutable(typeof values === 'function' ? await values(statement) : values));
    return await run(statement);
  } finally {
    statement.destroySync();
  }
}

function mutable(values: Bound): DuckDBValue[] | Record<string, DuckDBValue> {
  return Array.isArray(values) ? [...values] : { ...(values as Record<string, DuckDBValue>) };
}
