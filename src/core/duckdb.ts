import { mkdir } from 'node:fs/promises';
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue, type Json } from '@duckdb/node-api';

/** Quotes an SQL identifier. The one function that does. */
export function ident(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes an SQL string, for the places where a value can't be bound (DDL, COPY, table functions). */
export function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** Qualifies a table by catalog, schema and name. */
export function table(...parts: readonly string[]): string {
  return parts.map(ident).join('.');
}

export interface DatabaseOptions {
  /** DuckDB's own limit; the process takes 100 to 300 MB more. */
  readonly memoryLimit: string;
  readonly threads: number;
  /** Where DuckDB spills to; made when missing. */
  readonly tempDirectory: string;
}

export type Row = Record<string, DuckDBValue>;
export type Values = readonly DuckDBValue[];

/**
 * One DuckDB instance, in memory, that other database files are attached to: one memory limit, one set of threads for
 * all the work of a process. Memory that DuckDB frees goes back to the system at once (`allocator_flush_threshold`),
 * which is what keeps the resident size near the limit on 750-column data.
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
    await mkdir(options.tempDirectory, { recursive: true });
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(options.threads),
      memory_limit: options.memoryLimit,
      temp_directory: options.tempDirectory,
      preserve_insertion_order: 'false',
      allocator_flush_threshold: '16MB',
      enable_external_file_cache: 'false',
      allocator_bulk_deallocation_flush_threshold: '16MB',
    });
    return new Database(instance, options.memoryLimit);
  }

  /** A connection whose session time zone is UTC. */
  async connect(): Promise<Connection> {
    const inner = await this.#instance.connect();
    await inner.run("SET TimeZone = 'UTC'");
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
  /** Of the whole database, as it was opened: DuckDB itself gives it rounded. */
  readonly memoryLimit: string;
  readonly #onClose: () => void;

  constructor(inner: DuckDBConnection, memoryLimit: string, onClose: () => void) {
    this.inner = inner;
    this.memoryLimit = memoryLimit;
    this.#onClose = onClose;
  }

  /** Runs a statement; the number of rows it changed or wrote (0 for statements without any). */
  async run(sql: string, values: Values = [], signal?: AbortSignal): Promise<bigint> {
    const result = await this.#interruptible(signal, () => this.inner.runAndReadAll(sql, [...values]));
    const count = result.columnCount === 1 ? result.getRows()[0]?.[0] : undefined;
    return typeof count === 'bigint' ? count : 0n;
  }

  async rows<T extends Row = Row>(sql: string, values: Values = [], signal?: AbortSignal): Promise<T[]> {
    const result = await this.#interruptible(signal, () => this.inner.runAndReadAll(sql, [...values]));
    return result.getRowObjects() as T[];
  }

  /** Rows with every value as plain JSON (BIGINT as text, timestamps as text). */
  async jsonRows(sql: string, values: Values = [], signal?: AbortSignal): Promise<Record<string, Json>[]> {
    const result = await this.#interruptible(signal, () => this.inner.runAndReadAll(sql, [...values]));
    return result.getRowObjectsJson();
  }

  /** The first value of the first row. */
  async scalar(sql: string, values: Values = [], signal?: AbortSignal): Promise<DuckDBValue | undefined> {
    const result = await this.#interruptible(signal, () => this.inner.runAndReadAll(sql, [...values]));
    return result.getRows()[0]?.[0];
  }

  /** Runs `work` in one transaction; anything thrown rolls it back. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.inner.run('BEGIN TRANSACTION');
    try {
      const result = await work();
      await this.inner.run('COMMIT');
      return result;
    } catch (error) {
      await this.inner.run('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  async #interruptible<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (!signal) return work();
    signal.throwIfAborted();
    const interrupt = (): void => this.inner.interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  }

  [Symbol.dispose](): void {
    this.inner.closeSync();
    this.#onClose();
  }
}
