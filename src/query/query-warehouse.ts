import { existsSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { text } from '../core/duckdb.ts';
import { CrawlhouseError } from '../core/errors.ts';
import { StreamedRows } from '../core/streamed-rows.ts';
import { removeStaleWal } from '../warehouse/remove-stale-wal.ts';
import { bindParameters } from './parameters.ts';

export interface QueryOptions {
  /** The published warehouse. */
  readonly warehouse: string;
  readonly memoryLimit: string;
  readonly threads: number;
  /** The one file that may be written, by `writeParquet`. */
  readonly output?: string;
}

/** Texts for the `$name`s in a statement, by name. */
export type ParameterTexts = ReadonlyMap<string, string>;

const NO_PARAMETERS: ParameterTexts = new Map();

/** A read-only, fenced connection to the published warehouse. */
export class PublishedWarehouse implements Disposable {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  /**
   * Opens the published warehouse: no writes, no files and network of the machine, no change of these rules.
   *
   * @throws CrawlhouseError `nothing_published`
   */
  static async open(options: QueryOptions): Promise<PublishedWarehouse> {
    if (!existsSync(options.warehouse)) {
      throw new CrawlhouseError('nothing_published', `there is no warehouse at ${options.warehouse} yet`, {
        hint: 'crawlhouse run makes it',
      });
    }
    await removeStaleWal(options.warehouse);
    const instance = await DuckDBInstance.create(options.warehouse, {
      access_mode: 'READ_ONLY',
      memory_limit: options.memoryLimit,
      threads: String(options.threads),
    });
    const connection = await instance.connect();
    for (const fence of [
      "SET TimeZone = 'UTC'",
      ...(options.output === undefined ? [] : [`SET allowed_paths = [${text(options.output)}]`]),
      'SET enable_external_access = false',
      'SET lock_configuration = true',
    ]) {
      await connection.run(fence);
    }
    return new PublishedWarehouse(instance, connection);
  }

  /**
   * Runs one statement and hands its rows to `read` as they come.
   *
   * @throws CrawlhouseError `bad_query` with what DuckDB says, also where a later row fails; `usage` for parameters
   */
  async ask<T>(
    sql: string,
    signal: AbortSignal,
    read: (result: StreamedRows) => Promise<T>,
    parameters = NO_PARAMETERS,
  ): Promise<T> {
    return this.#guarded(signal, async () => {
      const values = await bindParameters(this.#connection, sql, parameters);
      return read(await StreamedRows.open(this.#connection, sql, values));
    });
  }

  /**
   * Writes the rows of one SELECT as a Parquet file (zstd) to the `output` of the options.
   *
   * @returns the number of rows
   * @throws CrawlhouseError as `ask`
   */
  async writeParquet(
    sql: string,
    output: string,
    signal: AbortSignal,
    parameters = NO_PARAMETERS,
  ): Promise<number> {
    return this.#guarded(signal, async () => {
      const values = await bindParameters(this.#connection, sql, parameters);
      const select = sql.trim().replace(/;$/, '');
      const result = await this.#connection.run(
        // On a line of its own: the statement may end in a comment.
        `COPY (${select}\n) TO ${text(output)} (FORMAT parquet, COMPRESSION zstd)`,
        values,
      );
      return result.rowsChanged;
    });
  }

  /** @throws CrawlhouseError `bad_query` for what DuckDB throws, the signal's reason where it was aborted */
  async #guarded<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const interrupt = (): void => this.#connection.interrupt();
    signal.throwIfAborted();
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      return await work();
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof CrawlhouseError || (cause as { code?: string }).code !== undefined) throw cause;
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new CrawlhouseError('bad_query', message.trim(), { cause });
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
