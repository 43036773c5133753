import { addAbortListener } from 'node:events';
import { existsSync } from 'node:fs';
import { type DuckDBConnection, type DuckDBInstance, StatementType } from '@duckdb/node-api';
import { damagedFile } from '../../../core/duckdb/database-blocks.ts';
import { Connection, openInstance, text } from '../../../core/duckdb/duckdb.ts';
import { prepareOne } from '../../../core/duckdb/one-statement.ts';
import { StreamedRows } from '../../../core/duckdb/streamed-rows.ts';
import { CrawlhouseError, nothingPublished, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { publishedError } from '../../../etl/state/catalog/published/attach-published.ts';
import type { EngineStatement, StatementRequest } from './engine-statement.ts';
import { bindParameters, type Parameters, type ParameterTexts, valuesOf } from './parameters.ts';
import { PrivateWarehouse } from './private-warehouse.ts';
import { isExplain, readOnlyStatement } from './read-only-statement.ts';
import { asRelation, pageStatement, placeName, type RowsPage } from './result/page-of-rows.ts';

export interface QueryOptions {
  readonly warehouse: string;
  /** The folder for spilled data and for the private name of the warehouse; default: the system's temporary folder. */
  readonly stateDir?: string;
  /** Memory that DuckDB counts; single values and their copies exceed it. */
  readonly memoryLimit: string;
  /** The limit of spilled data, such as `10GB`. */
  readonly tempLimit?: string;
  readonly threads: number;
  /** The only file that `writeParquet` may write. */
  readonly output?: string;
}

export interface PagedStatement {
  readonly sql: string;
  readonly parameters: ParameterTexts;
  readonly page: RowsPage;
}

/** An answer as a temporary table of its connection. */
interface KeptAnswer {
  /** The day in UTC, and its statement with its parameters. */
  readonly key: string;
  readonly connection: DuckDBConnection;
  readonly names: readonly string[];
}

const KEPT_TABLE = 'temp.main."kept answer"';
const INTERRUPT_AGAIN_MS = 50;
const NO_PARAMETERS: ParameterTexts = new Map();

/**
 * The published warehouse, read-only and restricted, in this process. SQL of analysts runs in a separate process with
 * limits of time and memory (`query-process.ts`). Each statement has its own connection, closed afterwards, so that no
 * other statement sees its macros or settings.
 */
export class PublishedWarehouse implements Disposable {
  readonly #instance: DuckDBInstance;
  readonly #file: PrivateWarehouse;
  #kept: KeptAnswer | undefined;

  private constructor(instance: DuckDBInstance, file: PrivateWarehouse) {
    this.#instance = instance;
    this.#file = file;
  }

  /**
   * Opens the published warehouse without writes, without access to files and network, and with these rules locked.
   *
   * @throws CrawlhouseError `nothing_published`, `locked` when another program has it open for writing,
   * `damaged_warehouse`
   */
  static async open(options: QueryOptions): Promise<PublishedWarehouse> {
    if (!existsSync(options.warehouse)) {
      throw nothingPublished(options.warehouse);
    }
    const file = await PrivateWarehouse.make(options.warehouse, options.stateDir);
    try {
      const { memoryLimit, threads } = options;
      const limits = { memoryLimit, threads, tempDirectory: file.spill };
      const instance = await openInstance(file.path, limits, { access_mode: 'READ_ONLY' }).catch(
        (error: unknown) => {
          throw publishedError(options.warehouse, error, 'is not a readable DuckDB file');
        },
      );
      file.hide();
      const connection = await instance.connect();
      for (const fence of [
        "SET GLOBAL TimeZone = 'UTC'",
        // DuckDB 1.5 shows this setting but does not apply it if it is set while opening a file.
        ...(options.tempLimit === undefined
          ? []
          : [`SET max_temp_directory_size = ${text(options.tempLimit)}`]),
        `SET allowed_paths = [${options.output === undefined ? '' : text(options.output)}]`,
        'SET enable_external_access = false',
        'SET lock_configuration = true',
      ]) {
        await connection.run(fence);
      }
      connection.closeSync();
      return new PublishedWarehouse(instance, file);
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
  }

  /** Whether the whole file was copied, because the disk does not support hard links. */
  get isCopy(): boolean {
    return this.#file.isCopy;
  }

  /**
   * Runs one statement and passes its rows to `read` as they arrive.
   *
   * @throws CrawlhouseError `bad_query` with DuckDB's message, also if a later row fails; `query_limit` for its limits
   * of memory and spilling; `usage` for parameters
   */
  async ask<T>(
    sql: string,
    signal: AbortSignal,
    read: (result: StreamedRows) => Promise<T>,
    parameters = NO_PARAMETERS,
  ): Promise<T> {
    return this.#guarded(signal, async (connection) => {
      const { explain, select } = await readOnlyStatement(connection, sql);
      if (explain === '')
        // Planning a statement may take longer than running it, so it is prepared once.
        return read(
          await StreamedRows.open(connection, select, (prepared) =>
            valuesOf(connection, prepared, parameters),
          ),
        );
      const values = await bindParameters(connection, select, parameters);
      return read(await StreamedRows.open(connection, explain + whole(select, values), values));
    });
  }

  /**
   * Answers one page of the statement's rows. EXPLAIN always returns all its rows.
   *
   * @throws CrawlhouseError as `ask`, with the lines of the user's own SQL
   */
  async askPage<T>(
    { sql, parameters, page }: PagedStatement,
    signal: AbortSignal,
    read: (result: StreamedRows) => Promise<T>,
  ): Promise<T> {
    if (isExplain(sql)) return this.ask(sql, signal, read, parameters);
    if (page.isKept) {
      const { connection, names } = await this.#keep(sql, parameters, signal);
      const paged = pageStatement(`FROM ${KEPT_TABLE}`, names, [], page);
      try {
        return await this.#guarded(
          signal,
          async () => {
            const rows = await StreamedRows.open(connection, paged.sql, paged.values);
            rows.names = paged.names;
            return await read(rows);
          },
          connection,
        );
      } catch (error) {
        // An interrupted connection is not used again.
        this.#forget();
        throw error;
      }
    }
    return this.#guarded(signal, async (connection) => {
      const { select } = await readOnlyStatement(connection, sql);
      const values = await bindParameters(connection, select, parameters);
      const names = await namesOf(connection, select, values);
      const paged = pageStatement(select, names, Object.keys(values), page);
      return withOwnLines(connection, select, values, async () => {
        const rows = await StreamedRows.open(connection, paged.sql, { ...values, ...paged.values });
        rows.names = paged.names;
        return await read(rows);
      });
    });
  }

  #forget(): void {
    this.#kept?.connection.closeSync();
    this.#kept = undefined;
  }

  /** Computes an answer unless it is the kept one, which it replaces. */
  async #keep(sql: string, parameters: ParameterTexts, signal: AbortSignal): Promise<KeptAnswer> {
    // A question may read the day, as mart.tickets does.
    const key = JSON.stringify([new Date().toISOString().slice(0, 10), sql, ...parameters]);
    if (this.#kept?.key === key) return this.#kept;
    this.#forget();
    const connection = await this.#instance.connect();
    try {
      const names = await this.#guarded(
        signal,
        async () => {
          const { select } = await readOnlyStatement(connection, sql);
          const values = await bindParameters(connection, select, parameters);
          const columns = await namesOf(connection, select, values);
          const [given, relation] = asRelation(select, Object.keys(values));
          const places = columns.keys().map(placeName).toArray().join(', ');
          const statement = await prepareOne(
            connection,
            `CREATE TEMP TABLE ${KEPT_TABLE} AS ${given}SELECT * FROM ${relation} AS answer(${places})`,
            [StatementType.CREATE],
          );
          statement.bind({ ...values });
          await withOwnLines(connection, select, values, () => statement.run());
          return columns;
        },
        connection,
      );
      this.#kept = { key, connection, names };
      return this.#kept;
    } catch (error) {
      connection.closeSync();
      throw error;
    }
  }

  /**
   * Translates a statement for the engine that stores the rows, if this is a catalog.
   *
   * @returns null if the catalog contains all rows that the statement reads
   * @throws CrawlhouseError as `ask`
   */
  async plan(asked: StatementRequest, signal: AbortSignal): Promise<EngineStatement | null> {
    return this.#guarded(signal, async (connection) => {
      const statement = await readOnlyStatement(connection, asked.sql);
      const { planRemote } = await import('./plan-remote.ts');
      return planRemote(new Connection(connection, '', () => {}), statement, asked);
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
    return this.#guarded(signal, async (connection) => {
      const { explain, select } = await readOnlyStatement(connection, sql);
      if (explain !== '')
        throw new CrawlhouseError('bad_query', 'refused: an EXPLAIN has no rows for a Parquet file', {
          hint: 'remove EXPLAIN, or use another format',
        });
      const values = await bindParameters(connection, select, parameters);
      const statement = await prepareOne(
        connection,
        `COPY (${whole(select, values)}) TO ${text(output)} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`,
        [StatementType.COPY],
      );
      statement.bind({ ...values });
      return (await statement.run()).rowsChanged;
    });
  }

  /** @throws CrawlhouseError for errors of DuckDB; the signal's reason if it aborted */
  async #guarded<T>(
    signal: AbortSignal,
    work: (connection: DuckDBConnection) => Promise<T>,
    kept?: DuckDBConnection,
  ): Promise<T> {
    signal.throwIfAborted();
    const connection = kept ?? (await this.#instance.connect());
    let again: NodeJS.Timeout | undefined;
    // DuckDB loses an interrupt that arrives before the statement starts.
    const interrupt = (): void => {
      connection.interrupt();
      again = setTimeout(interrupt, INTERRUPT_AGAIN_MS);
    };
    try {
      signal.throwIfAborted();
      using _interrupt = addAbortListener(signal, interrupt);
      return await work(connection);
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof CrawlhouseError || (cause as { code?: string }).code !== undefined) throw cause;
      throw queryError(cause);
    } finally {
      clearTimeout(again);
      if (kept === undefined) connection.closeSync();
    }
  }

  /** Removes its files, even while a statement runs. No further query is possible. */
  removeFiles(): void {
    this.#file[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#forget();
    this.#instance.closeSync();
    this.removeFiles();
  }
}

/** Returns the columns of an answer. A prepared statement knows them only after it knows the types of its values. */
async function namesOf(
  connection: DuckDBConnection,
  select: string,
  values: Parameters,
): Promise<readonly string[]> {
  const empty = await StreamedRows.open(connection, `${whole(select, values)} LIMIT 0`, values);
  await empty.rows();
  return empty.names;
}

/** Does the work of an enclosing statement. The lines of its errors are those of the user's SELECT. */
async function withOwnLines<T>(
  connection: DuckDBConnection,
  select: string,
  values: Parameters,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // DuckDB shows the line of the enclosing statement.
    if (error instanceof Error && /^LINE \d+:/m.test(error.message))
      for await (const _ of (await StreamedRows.open(connection, select, values)).chunks());
    throw error;
  }
}

/** Encloses a user's SELECT for use in another statement. */
function whole(select: string, values: Parameters): string {
  const [given, relation] = asRelation(select, Object.keys(values));
  return `${given}FROM ${relation}`;
}

function queryError(cause: unknown): CrawlhouseError {
  const message = (cause instanceof Error ? cause.message : String(cause)).trim();
  if (toCrawlhouseError(cause).code === 'damaged_warehouse')
    return damagedFile('the published warehouse', message, cause);
  if (!message.startsWith('Out of Memory Error')) return new CrawlhouseError('bad_query', message, { cause });
  // DuckDB's advice is about settings that a query cannot change.
  const [said = message] = message.split('\n\n');
  return new CrawlhouseError('query_limit', said, { cause });
}
