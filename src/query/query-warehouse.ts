import { existsSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { CrawlhouseError } from '../core/errors.ts';
import { StreamedRows } from '../core/streamed-rows.ts';

export interface QueryOptions {
  /** The published warehouse. */
  readonly warehouse: string;
  readonly memoryLimit: string;
  readonly threads: number;
}

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
    const instance = await DuckDBInstance.create(options.warehouse, {
      access_mode: 'READ_ONLY',
      memory_limit: options.memoryLimit,
      threads: String(options.threads),
    });
    const connection = await instance.connect();
    for (const fence of [
      "SET TimeZone = 'UTC'",
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
   * @throws CrawlhouseError `bad_query` with what DuckDB says, also where a later row fails
   */
  async ask<T>(sql: string, signal: AbortSignal, read: (result: StreamedRows) => Promise<T>): Promise<T> {
    const interrupt = (): void => this.#connection.interrupt();
    signal.throwIfAborted();
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      return await read(await StreamedRows.open(this.#connection, sql));
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
