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

/** Quotes an SQL identifier. All code uses this function for that. */
export function ident(name: string): string {
  refuseNul(name);
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes an SQL string, where a value cannot be bound (DDL, COPY, table functions). */
export function text(value: string): string {
  refuseNul(value);
  return `'${value.replaceAll("'", "''")}'`;
}

/** Refuses NUL, which DuckDB treats as the end of a statement. */
function refuseNul(value: string): void {
  if (!value.includes('\0')) return;
  throw new CrawlhouseError(
    'contract_broken',
    `${JSON.stringify(value)} has the character NUL, which no SQL can name`,
  );
}

/**
 * Quotes the path of one file for a function that reads files. Unquoted, `*`, `?` and `[` in a folder's name would
 * match other files.
 */
export function file(path: string): string {
  return text(path.replaceAll(/[*?[]/g, '[$&]'));
}

/**
 * Returns a table expression over Parquet files. It disables hive partitioning: DuckDB would otherwise take a folder
 * named `url=x` for the values of the file's own column.
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

/** Quotes a table with its schema, such as `raw.crawl_pages`, in the connection's catalog or another one. */
export function relationTable(relation: string, ...catalog: readonly string[]): string {
  return table(...catalog, ...relation.split('.'));
}

/** Returns an SQL expression for a time as ISO 8601, UTC. */
export function isoTime(time: string): string {
  return `strftime(${time}, '%Y-%m-%dT%H:%M:%S.%gZ')`;
}

/** Returns the expression after IN for texts that a parameter contains as a JSON list. */
export function listed(parameter: string): string {
  return `(SELECT unnest(from_json(${parameter}, '["VARCHAR"]')))`;
}

/**
 * Returns a table expression for a parameter that contains a JSON list of objects. Columns are text unless typed.
 */
export function given(
  parameter: string,
  texts: readonly string[],
  others: Readonly<Record<string, string>> = {},
): string {
  const types = { ...Object.fromEntries(texts.map((name) => [name, 'VARCHAR'])), ...others };
  return `unnest(from_json(${parameter}, '${JSON.stringify([types])}'), recursive := true)`;
}

export interface DatabaseOptions {
  /** DuckDB's own limit; the process needs 100 to 300 MB more. */
  readonly memoryLimit: string;
  readonly threads: number;
  /** The folder for spilled data; created if missing. */
  readonly tempDirectory: string;
}

/** DuckDB's limits in a project folder, from its settings. */
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
 * The option of every ATTACH that writes a file. It selects the first format that supports zstd for texts, and whose
 * checkpoints need not read unchanged metadata. `Database` writes texts only with zstd, because the search for the best
 * method takes half of a load (docs/decisions/warehouse.md). An older format would not compress them at all. A file of
 * an older format is upgraded to this one.
 */
export const STORAGE_OPTION = "STORAGE_VERSION 'v1.4.0'";

export type Row = Record<string, DuckDBValue>;
export type Values = readonly DuckDBValue[];

/**
 * An in-memory DuckDB instance with other database files attached, so that a process has one memory limit and one set
 * of threads. Freed memory returns to the system immediately (`allocator_flush_threshold`), which keeps the resident
 * size near the limit on 750-column data.
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

  /** Opens the database within the limits of a project. It spills to the state directory. */
  static openIn({ memory_limit, threads, state_dir }: DuckdbSettings): Promise<Database> {
    return Database.open({ memoryLimit: memory_limit, threads, tempDirectory: join(state_dir, 'spill') });
  }

  /** Opens a connection whose session time zone is UTC. */
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

/** Rolled back at the end of its scope, unless it was committed. */
export interface Transaction extends AsyncDisposable {
  readonly commit: () => Promise<void>;
}

/** A thin wrapper of a DuckDB connection: bound values in, plain rows out (BIGINT as `bigint`), abortable. */
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

  /** Calls a function after each statement, which may have written a checkpoint. */
  observe(onStatement: () => void): void {
    this.#onStatement = onStatement;
  }

  /** Makes a signal end each later statement that has no signal of its own. */
  endBy(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    this.#signal = signal;
  }

  /** Runs a statement; returns the number of changed or written rows (0 for statements without any). */
  async run(sql: string, values: Values = [], signal?: AbortSignal): Promise<bigint> {
    const result = await this.#read(sql, values, signal);
    const count = result.columnCount === 1 ? result.getRows()[0]?.[0] : undefined;
    return typeof count === 'bigint' ? count : 0n;
  }

  async rows<T extends object = Row>(sql: string, values: Values = [], signal?: AbortSignal): Promise<T[]> {
    return (await this.#read(sql, values, signal)).getRowObjects() as T[];
  }

  /** Rows with every value as plain JSON (BIGINT as text, timestamps as text). */
  async jsonRows<T extends object = Record<string, Json>>(
    sql: string,
    values: Values = [],
    signal?: AbortSignal,
  ): Promise<T[]> {
    return (await this.#read(sql, values, signal)).getRowObjectsJson() as T[];
  }

  /** The first value of each row. */
  async column<T extends DuckDBValue>(sql: string, values: Values = [], signal?: AbortSignal): Promise<T[]> {
    return (await this.#read(sql, values, signal)).getRows().map(([value]) => value as T);
  }

  /** The first value of the first row. */
  async scalar(sql: string, values: Values = [], signal?: AbortSignal): Promise<DuckDBValue | undefined> {
    return (await this.column(sql, values, signal))[0];
  }

  /**
   * Begins a transaction, which ends with a rollback unless it is committed. Within a trial, it is part of that trial.
   */
  async begin(): Promise<Transaction> {
    const isPart = this.#isTrial;
    let isOpen = !isPart;
    if (isOpen) await this.inner.run('BEGIN TRANSACTION');
    return {
      commit: async () => {
        if (isPart) return;
        await this.inner.run('COMMIT');
        isOpen = false;
        this.#onStatement();
      },
      [Symbol.asyncDispose]: async () => {
        // The earlier failure has its own error.
        if (isOpen) await this.inner.run('ROLLBACK').catch(() => {});
      },
    };
  }

  /** Runs `work` in one transaction; anything thrown rolls it back. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await using transaction = await this.begin();
    const result = await work();
    await transaction.commit();
    return result;
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

  /**
   * Runs a statement. Without values, DuckDB runs the text in one call, at half the cost of prepare, bind and execute.
   */
  async #read(sql: string, values: Values, signal = this.#signal): Promise<DuckDBResultReader> {
    const bound = values.length > 0 ? [...values] : undefined;
    signal?.throwIfAborted();
    using _interrupt = signal && addAbortListener(signal, () => this.inner.interrupt());
    const result = await this.inner.runAndReadAll(sql, bound).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
    this.#onStatement();
    return result;
  }

  [Symbol.dispose](): void {
    this.inner.closeSync();
    this.#onClose();
  }
}

/**
 * Runs the statements of `work` without DuckDB's optimizer. For some statements, the optimizer changes nothing but
 * takes half of the planning time: 100 ms with 750 columns.
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
 * Connections for parallel statements, because a connection runs one at a time. A new one is opened when all others are
 * busy; they are closed with the database.
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
