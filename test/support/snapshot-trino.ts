import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Connection, Database } from '../../src/core/duckdb/duckdb.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { temporaryFolder } from './temporary.ts';

const TABLES = ['visible', 'candidate'] as const;
type Table = (typeof TABLES)[number];
const WHOLE_PARTITIONS = /^DELETE FROM \S+ WHERE token < BIGINT '(\d+)'$/;
const COLUMNS = ['token', 'seq', 'relation', 'unit', 'load_id'];

/** A statement that has read and computed, and has not committed yet. */
export interface Pending {
  readonly sql: string;
  /** `crawlhouse/t_7` of the writer with the token 7. */
  readonly source: string;
  /** The number of the writer's client. */
  readonly user: string;
}

interface State {
  /** Rows as JSON. */
  readonly rows: Readonly<Record<Table, readonly string[]>>;
  /** Partitions of the files that each commit so far has added to a table. */
  readonly added: Readonly<Record<Table, readonly ReadonlySet<string>[]>>;
}

/**
 * The two tables of pointers, in a server that isolates statements as Trino and Iceberg do. A statement reads one
 * snapshot and commits later. An INSERT always commits. A MERGE or DELETE fails if a file was added since its snapshot to
 * a partition (`token`) that it writes to: so measured with Trino 476. A DELETE of whole partitions takes what is there
 * when it commits. DuckDB computes the statements.
 *
 * @param commit awaited before a statement that writes commits
 * @returns a client for each name
 */
export async function snapshotTrino(
  prefix: string,
  commit: (pending: Pending) => Promise<void>,
): Promise<{ clientOf(user: string): TrinoClient; rows(table: Table): Record<string, unknown>[] }> {
  const computer = await Computer.open(prefix);
  let state: State = { rows: { visible: [], candidate: [] }, added: { visible: [], candidate: [] } };
  const run = async (pending: Pending): Promise<object> => {
    const { sql } = pending;
    const read = state;
    const { answer, rows } = await computer.compute(sql, read.rows);
    const table = TABLES.find((one) => rows[one] !== read.rows[one]);
    if (table === undefined) return /^(SELECT|WITH)/.test(sql.trim()) ? answer : { updateCount: 0 };
    const [before, after] = [new Set(read.rows[table]), new Set(rows[table])];
    const [gained, lost] = [after.difference(before), before.difference(after)];
    await commit(pending);
    const below = WHOLE_PARTITIONS.exec(sql)?.[1];
    if (below !== undefined) {
      const kept = state.rows[table].filter((row) => Number(rowOf(row).token) >= Number(below));
      state = { ...state, rows: { ...state.rows, [table]: kept } };
      return {};
    }
    const written = new Set([...gained, ...lost].map((row) => partitionOf(row)));
    const since = state.added[table].slice(read.added[table].length);
    const isChecked = /^\s*(MERGE|DELETE)/.test(sql);
    if (isChecked && since.some((partitions) => !partitions.isDisjointFrom(written)))
      return {
        error: {
          message: 'Found conflicting files',
          errorName: 'ICEBERG_COMMIT_ERROR',
          errorType: 'EXTERNAL',
        },
      };
    const added = new Set([...gained].map(partitionOf));
    state = {
      rows: { ...state.rows, [table]: [...state.rows[table].filter((row) => !lost.has(row)), ...gained] },
      added: {
        ...state.added,
        [table]: added.size === 0 ? state.added[table] : [...state.added[table], added],
      },
    };
    return { updateCount: gained.size + lost.size };
  };
  const url = await serve(run);
  return {
    clientOf(user) {
      const client = new TrinoClient({ url, user });
      onTestFinished(() => client[Symbol.asyncDispose]());
      return client;
    },
    rows: (table) => state.rows[table].map((row) => rowOf(row)),
  };
}

async function serve(run: (pending: Pending) => Promise<object>): Promise<string> {
  let queries = 0;
  const server = createServer(async (request, response) => {
    let sql = '';
    for await (const piece of request) sql += piece;
    const { 'x-trino-source': source, 'x-trino-user': user } = request.headers;
    const answer = await run({ sql, source: String(source), user: String(user) }).catch((error: Error) => ({
      error: {
        message: `${error.message}: ${sql}`,
        errorName: 'GENERIC_USER_ERROR',
        errorType: 'USER_ERROR',
      },
    }));
    response.end(JSON.stringify({ id: `q${++queries}`, ...answer }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs one statement at a time on rows that are put before it. */
class Computer {
  readonly #connection: Connection;
  readonly #schema: string;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(connection: Connection, schema: string) {
    this.#connection = connection;
    this.#schema = schema;
  }

  static async open(prefix: string): Promise<Computer> {
    const database = await Database.open({
      memoryLimit: '200MB',
      threads: 1,
      tempDirectory: await temporaryFolder(),
    });
    onTestFinished(() => database[Symbol.asyncDispose]());
    const connection = await database.connect();
    const schema = `"${prefix}store"`;
    await connection.run(`CREATE SCHEMA ${schema}`);
    for (const table of TABLES)
      await connection.run(
        `CREATE TABLE ${schema}.${table} (token BIGINT, seq BIGINT, relation VARCHAR, unit VARCHAR, load_id VARCHAR)`,
      );
    return new Computer(connection, schema);
  }

  compute(sql: string, given: State['rows']): Promise<{ answer: object; rows: State['rows'] }> {
    const done = this.#turn.then(() => this.#compute(sql, given));
    this.#turn = done.catch(() => {});
    return done;
  }

  async #compute(sql: string, given: State['rows']): Promise<{ answer: object; rows: State['rows'] }> {
    for (const table of TABLES) {
      await this.#connection.run(`DELETE FROM ${this.#schema}.${table}`);
      for (const row of given[table])
        await this.#connection.run(
          `INSERT INTO ${this.#schema}.${table} SELECT $1, $2, $3, $4, $5`,
          JSON.parse(row).map((value: unknown, place: number) => (place < 2 ? BigInt(String(value)) : value)),
        );
    }
    const found = await this.#connection.rows(sql);
    const rows = {} as Record<Table, readonly string[]>;
    for (const table of TABLES) {
      const now = await this.#connection.rows(`SELECT * FROM ${this.#schema}.${table}`);
      const texts = now.map((row) => JSON.stringify(COLUMNS.map((name) => plain(row[name]))));
      const isSame = JSON.stringify(texts.toSorted()) === JSON.stringify(given[table].toSorted());
      rows[table] = isSame ? given[table] : texts;
    }
    return { answer: answerOf(found), rows };
  }
}

function answerOf(found: readonly Record<string, unknown>[]): object {
  const columns = Object.entries(found[0] ?? {}).map(([name, value]) => {
    const type = typeof value === 'bigint' || typeof value === 'number' ? 'bigint' : 'varchar';
    return { name, type, typeSignature: { rawType: type, arguments: [] } };
  });
  return columns.length === 0 ? {} : { columns, data: found.map((row) => Object.values(row).map(plain)) };
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function rowOf(row: string): Record<string, unknown> {
  const values: unknown[] = JSON.parse(row);
  return Object.fromEntries(COLUMNS.map((name, place) => [name, values[place]]));
}

function partitionOf(row: string): string {
  return String(rowOf(row).token);
}
