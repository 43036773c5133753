import { addAbortListener } from 'node:events';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, Database, ident, STORAGE_OPTION, table, text } from '../../core/duckdb/duckdb.ts';
import { dropUnfinishedCommit } from '../../core/duckdb/unfinished-commit.ts';
import { makeFolder } from '../../core/files/make-folder.ts';

const CATALOG = 'sandbox';
/**
 * Base memory of DuckDB in megabytes. Each additional stream, each wide stream and each JSON import adds more.
 */
const MEMORY = 300;
const STREAM_MEMORY = 200;
const IMPORT_MEMORY = 700;
/** From this many columns on, the lines of a stream need more memory: DuckDB holds a vector of every cell. */
const WIDE = 300;

/** Small blocks: a wide table's writer pins at least one per column. */
const LAYOUT = `(BLOCK_SIZE 32768, ROW_GROUP_SIZE 30720, ${STORAGE_OPTION})`;

/** The service's rows: one DuckDB file in the state directory, attached to an instance with little memory. */
export class ServiceRows implements AsyncDisposable {
  readonly #database: Database;
  readonly #path: string;
  readonly #uses = new Set<Promise<unknown>>();
  #streams = 0;
  #wideStreams = 0;
  #imports = 0;

  private constructor(database: Database, path: string) {
    this.#database = database;
    this.#path = path;
  }

  static async open(stateDir: string): Promise<ServiceRows> {
    makeFolder(stateDir);
    const database = await Database.open({
      memoryLimit: `${MEMORY}MB`,
      threads: 2,
      tempDirectory: join(stateDir, 'spill'),
    });
    using connection = await database.connect();
    // Exports and generated tables must always come in the same order.
    await connection.run('SET preserve_insertion_order = true');
    const store = new ServiceRows(database, join(stateDir, 'rows.duckdb'));
    await dropUnfinishedCommit(store.#path);
    if (store.isToRewrite) await store.#rewrite(connection);
    await connection.run(`ATTACH ${text(store.#path)} AS ${ident(CATALOG)} ${LAYOUT}`);
    return store;
  }

  /** Whether the file is rewritten when it is closed, or else when it is next opened. */
  get isToRewrite(): boolean {
    return existsSync(this.#mark);
  }

  /** Requests a rewrite of the file, because deleted rows stay in its free blocks until then. */
  set isToRewrite(isToRewrite: boolean) {
    if (isToRewrite) closeSync(openSync(this.#mark, 'a'));
    else rmSync(this.#mark, { force: true });
  }

  get #mark(): string {
    return `${this.#path}.rewrite`;
  }

  async #rewrite(connection: Connection): Promise<void> {
    const [fresh, wal] = [`${this.#path}.fresh`, `${this.#path}.wal`];
    for (const one of [fresh, `${fresh}.wal`]) await rm(one, { force: true });
    if (existsSync(this.#path)) {
      await connection.run(`ATTACH ${text(this.#path)} AS ${ident(CATALOG)} ${LAYOUT}`);
      await connection.run(`ATTACH ${text(fresh)} AS fresh ${LAYOUT}`);
      await connection.run(`COPY FROM DATABASE ${ident(CATALOG)} TO fresh`);
      for (const one of ['fresh', CATALOG]) {
        await connection.run(`CHECKPOINT ${ident(one)}`);
        await connection.run(`DETACH ${ident(one)}`);
      }
      await rm(wal, { force: true });
      await rename(fresh, this.#path);
    }
    this.isToRewrite = false;
  }

  /** Returns the qualified, quoted name of a table. */
  static table(name: string): string {
    return table(CATALOG, 'main', name);
  }

  /** Drops the views and tables of an owner: their names end with its id. */
  static async dropAll(connection: Connection, owner: string): Promise<void> {
    for (const kind of ['view', 'table'] as const)
      for (const name of await namesOf(connection, kind))
        if (name.endsWith(`_${owner}`)) await connection.run(`DROP ${kind} ${ServiceRows.table(name)}`);
  }

  static async hasView(connection: Connection, name: string): Promise<boolean> {
    return (await namesOf(connection, 'view')).includes(name);
  }

  /** Lends a connection to `work`. Closing the store waits for `work`; `signal` ends its queries. */
  async use<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#uses.add(promise);
    try {
      using connection = await this.#database.connect();
      connection.endBy(signal);
      return await work(connection);
    } finally {
      this.#uses.delete(promise);
      resolve();
    }
  }

  /** Lends a connection with the memory that reading JSON needs. */
  async useForImport<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.use(async (connection) => {
      this.#imports += 1;
      await this.#setMemory(connection);
      try {
        return await work(connection);
      } finally {
        this.#imports -= 1;
        await this.#setMemory(connection);
      }
    });
  }

  /**
   * Streams rows. The connection is lent until the stream ends or is returned; `signal` ends its query. `columns` is
   * the number of columns of a row.
   */
  async *stream<T>(
    work: (connection: Connection) => AsyncIterable<T>,
    signal?: AbortSignal,
    columns = 0,
  ): AsyncGenerator<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#uses.add(promise);
    using connection = await this.#database.connect();
    const wide = columns >= WIDE ? 1 : 0;
    this.#streams += 1;
    this.#wideStreams += wide;
    try {
      using _interrupt = interruptedBy(signal, connection);
      await this.#setMemory(connection);
      yield* work(connection);
    } finally {
      this.#streams -= 1;
      this.#wideStreams -= wide;
      await this.#setMemory(connection);
      this.#uses.delete(promise);
      resolve();
    }
  }

  async #setMemory(connection: Connection): Promise<void> {
    const streams = (Math.max(0, this.#streams - 1) + this.#wideStreams) * STREAM_MEMORY;
    const limit = MEMORY + streams + this.#imports * IMPORT_MEMORY;
    // Memory in use can't be freed; then the larger limit stays until the next change.
    await connection.run(`SET memory_limit = '${limit}MB'`).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#uses);
    using connection = await this.#database.connect();
    // The database is closed anyway.
    await connection.run(`DETACH ${ident(CATALOG)}`).catch(() => {});
    // If this fails, it is done when the file is next opened.
    if (this.isToRewrite) await this.#rewrite(connection).catch(() => {});
    await this.#database[Symbol.asyncDispose]();
  }
}

/**
 * Ends the queries of a connection when the signal aborts. Dispose the result before the connection, because
 * interrupting a closed connection is an error.
 */
function interruptedBy(signal: AbortSignal | undefined, connection: Connection): Disposable | undefined {
  signal?.throwIfAborted();
  return signal && addAbortListener(signal, () => connection.inner.interrupt());
}

async function namesOf(connection: Connection, kind: 'view' | 'table'): Promise<string[]> {
  const sql = `SELECT ${kind}_name AS name FROM duckdb_${kind}s() WHERE database_name = ?`;
  return (await connection.rows(sql, [CATALOG])).map(({ name }) => String(name));
}
