import { addAbortListener } from 'node:events';
import { join } from 'node:path';
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBResultReader,
  type DuckDBValue,
  type Json,
  version,
} from '@duckdb/node-api';
import { CrawlhouseError } from '../errors/errors.ts';
import { makeFolder } from '../files/make-folder.ts';

/** Such as `v1.5.6`. */
export const DUCKDB_VERSION = version();

/** Quotes an SQL identifier. The one function that does. */
export function ident(name: string): string {
  refuseNul(name);
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes an SQL string, for the places where a value can't be bound (DDL, COPY, table functions). */
export function text(value: string): string {
  refuseNul(value);
  return `'${value.replaceAll("'", "''")}'`;
}

/** DuckDB takes a statement to end there. */
function refuseNul(value: string): void {
  if (!value.includes('\0')) return;
  throw new CrawlhouseError(
    'contract_broken',
    `${JSON.stringify(value)} has the character NUL, which no SQL can name`,
  );
}

/**
 * Quotes the path of one file for a function that reads files. Unquoted, `*`, `?` and `[` in the name of a folder would
 * match other files.
 */
export function file(path: string): string {
  return text(path.replaceAll(/[*?[]/g, '[$&]'));
}

/**
 * A table expression over Parquet files. A folder named `url=x` is no column: DuckDB would take its name for the values
 * of the file's own.
 */
export function parquetFiles(
  paths: readonly string[],
  options: {
    readonly unionByName?: boolean;
    readonly rowNumbers?: boolean;
    readonly fileNames?: string;
  } = {},
): string {
  const union = options.unionByName ? ', union_by_name = true' : '';
  const numbers = options.rowNumbers ? ', file_row_number = true' : '';
  const names = options.fileNames === undefined ? '' : `, filename = ${text(options.fileNames)}`;
  return `read_parquet([${paths.map(file).join(', ')}], hive_partitioning = false${union}${numbers}${names})`;
}

/** Qualifies a table by catalog, schema and name. */
export function table(...parts: readonly string[]): string {
  return parts.map(ident).join('.');
}

/** Quotes a table that is named with its schema, as `raw.crawl_pages`, of the connection's catalog or another. */
export function relationTable(relation: string, ...catalog: readonly string[]): string {
  return table(...catalog, ...relation.split('.'));
}

/** A time in SQL as ISO 8601, UTC. */
export function isoTime(time: string): string {
  return `strftime(${time}, '%Y-%m-%dT%H:%M:%S.%gZ')`;
}

/** What stands after IN for the texts that a parameter has as a JSON list. */
export function listed(parameter: string): string {
  return `(SELECT unnest(from_json(${parameter}, '["VARCHAR"]')))`;
}

/** The columns of rows that a parameter has as a JSON list of objects: texts, and others with their types. */
export function given(
  parameter: string,
  texts: readonly string[],
  others: Readonly<Record<string, string>> = {},
): string {
  const types = { ...Object.fromEntries(texts.map((name) => [name, 'VARCHAR'])), ...others };
  return `unnest(from_json(${parameter}, '${JSON.stringify([types])}'), recursive := true)`;
}

export interface DatabaseOptions {
  /** DuckDB's own limit; the process takes 100 to 300 MB more. */
  readonly memoryLimit: string;
  readonly threads: number;
  /** Where DuckDB spills to; made when missing. */
  readonly tempDirectory: string;
}

/** What DuckDB may take in a project folder, as its settings say it. */
export interface DuckdbSettings {
  readonly memory_limit: string;
  readonly threads: number;
  readonly state_dir: string;
}

/**
 * Opens a DuckDB instance on a file, or `:memory:`. This is the only place that opens one, so our limits apply wherever
 * DuckDB runs.
 *
 * @param more settings of DuckDB
 */
export function openInstance(
  path: string,
  { threads, memoryLimit, tempDirectory }: DatabaseOptions,
  more: Readonly<Record<string, string>>,
): Promise<DuckDBInstance> {
  return DuckDBInstance.create(path, {
    threads: String(threads),
    memory_limit: memoryLimit,
    temp_directory: tempDirectory,
    ...more,
  });
}

/**
 * The option of every ATTACH that writes a file: the first format that has zstd for texts, and in which a checkpoint need
 * not read the metadata of what did not change. `Database` writes texts with zstd and nothing else, because the search for
 * the best method takes half of a load (docs/decisions/warehouse.md). In an older format they would not be
 * compressed at all. A file of an older format gets this one.
 */
export const STORAGE_OPTION = "STORAGE_VERSION 'v1.4.0'";

export type Row = Record<string, DuckDBValue>;
export type Values = readonly DuckDBValue[];

/**
 * One DuckDB instance in memory, to which other database files are attached. A process thus has one memory limit and
 * one set of threads. Freed memory goes back to the system at once (`allocator_flush_threshold`). This keeps the
 * resident size near the limit on 750-column data.
 */
export class Database implements AsyncDisposable {
  readonly #instance: DuckDBInstance;
  readonly #memoryLimit: string;
  readonly #connections = new Set<Connection>();

  private constructor(instance: DuckDBInstance, memoryLimit: string) {
    this.#instance = instance;
    this.#memoryLimit = memoryLimit;
  }

  static async open(options: DatabaseOptions): Promise<Database> {
    makeFolder(options.tempDirectory);
    const instance = await openInstance(':memory:', options, {
      preserve_insertion_order: 'false',
      allocator_flush_threshold: '16MB',
      allocator_background_threads: 'true',
      enable_external_file_cache: 'false',
      allocator_bulk_deallocation_flush_threshold: '16MB',
    });
    const first = await instance.connect();
    await first.run("SET GLOBAL TimeZone = 'UTC'");
    await first.run("SET GLOBAL force_compression = 'zstd'");
    first.closeSync();
    return new Database(instance, options.memoryLimit);
  }

  /** Within the limits of a project; it spills to the state directory. */
  static openIn({ memory_limit, threads, state_dir }: DuckdbSettings): Promise<Database> {
    return Database.open({ memoryLimit: memory_limit, threads, tempDirectory: join(state_dir, 'spill') });
  }

  /** A connection whose session time zone is UTC. */
  async connect(): Promise<Connection> {
    const inner = await this.#instance.connect();
    const connection = new Connection(inner, this.#memoryLimit, () => this.#connections.delete(connection));
    this.#connections.add(connection);
    return connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections) connection[Symbol.dispose]();
    this.#instance.closeSync();
  }
}

/** A thin shell around a DuckDB connection: bound values in, plain rows out (BIGINT as `bigint`), abortable. */
export class Connection implements Disposable {
  readonly inner: DuckDBConnection;
  /** The memory limit of the whole database, as given. DuckDB itself returns it rounded. */
  readonly memoryLimit: string;
  readonly #onClose: () => void;
  #isTrial = false;
  #signal: AbortSignal | undefined;
  #onStatement = (): void => {};

  constructor(inner: DuckDBConnection, memoryLimit: string, onClose: () => void) {
    this.inner = inner;
    this.memoryLimit = memoryLimit;
    this.#onClose = onClose;
  }

  /** Has a function called after each statement, when it may have written a checkpoint. */
  observe(onStatement: () => void): void {
    this.#onStatement = onStatement;
  }

  /** Has a signal end each statement from now on that has none of its own. */
  endBy(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    this.#signal = signal;
  }

  /** Runs a statement; the number of rows it changed or wrote (0 for statements without any). */
  async run(sql: string, values: Values = [], signal?: AbortSignal): Promise<bigint> {
    const result = await this.#read(sql, values, signal);
    const count = result.columnCount === 1 ? result.getRows()[0]?.[0] : undefined;
    return typeof count === 'bigint' ? count : 0n;
  }

  async rows<T extends Row = Row>(sql: string, values: Values = [], signal?: AbortSignal): Promise<T[]> {
    return (await this.#read(sql, values, signal)).getRowObjects() as T[];
  }

  /** Rows with every value as plain JSON (BIGINT as text, timestamps as text). */
  async jsonRows(sql: string, values: Values = [], signal?: AbortSignal): Promise<Record<string, Json>[]> {
    return (await this.#read(sql, values, signal)).getRowObjectsJson();
  }

  /** The first value of each row. */
  async column<T extends DuckDBValue>(sql: string, values: Values = [], signal?: AbortSignal): Promise<T[]> {
    return (await this.#read(sql, values, signal)).getRows().map(([value]) => value as T);
  }

  /** The first value of the first row. */
  async scalar(sql: string, values: Values = [], signal?: AbortSignal): Promise<DuckDBValue | undefined> {
    return (await this.column(sql, values, signal))[0];
  }

  /** Runs `work` in one transaction; anything thrown rolls it back. Within a trial it is part of that one. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isTrial) return work();
    await this.inner.run('BEGIN TRANSACTION');
    try {
      const result = await work();
      await this.inner.run('COMMIT');
      this.#onStatement();
      return result;
    } catch (error) {
      // The earlier failure has its own error.
      await this.inner.run('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  /** Runs `work` in a transaction that is always rolled back, to see its result. */
  async trial<T>(work: () => Promise<T>): Promise<T> {
    await this.inner.run('BEGIN TRANSACTION');
    this.#isTrial = true;
    try {
      return await work();
    } finally {
      this.#isTrial = false;
      await this.inner.run('ROLLBACK');
    }
  }

  /** Without values, DuckDB takes the text in one call, which costs half as much as to prepare, bind and execute it. */
  async #read(sql: string, values: Values, signal: AbortSignal | undefined): Promise<DuckDBResultReader> {
    const bound = values.length > 0 ? [...values] : undefined;
    const result = await this.#interruptible(signal, () => this.inner.runAndReadAll(sql, bound));
    this.#onStatement();
    return result;
  }

  async #interruptible<T>(own: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const signal = own ?? this.#signal;
    if (!signal) return work();
    signal.throwIfAborted();
    using _interrupt = addAbortListener(signal, () => this.inner.interrupt());
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.inner.closeSync();
    this.#onClose();
  }
}

/**
 * Runs the statements of `work` without DuckDB's optimizer. For some statements it has no effect, but takes half of
 * their planning: 100 ms with 750 columns.
 */
export async function withoutOptimizer<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.run('PRAGMA disable_optimizer');
  try {
    return await work();
  } finally {
    await connection.run('PRAGMA enable_optimizer');
  }
}

/**
 * Connections for statements at once: a connection runs one at a time. Opened when all the others are at work, and closed
 * with the database.
 */
export class ConnectionPool {
  readonly #open: () => Promise<Connection>;
  readonly #idle: Connection[] = [];

  constructor(open: () => Promise<Connection>) {
    this.#open = open;
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#idle.pop() ?? (await this.#open());
    try {
      return await work(connection);
    } finally {
      this.#idle.push(connection);
    }
  }
}
