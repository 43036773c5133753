import { rm } from 'node:fs/promises';
import { Database, file, ident, text } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { durationText } from '../../../core/text/amounts.ts';
import { parseJson } from '../../../core/text/json.ts';
import { EngineFailure } from '../../../etl/engines/data-error.ts';
import type { EngineValue, Statements } from '../../../etl/engines/engine.ts';
import { engineKind } from '../../../etl/engines/registry.ts';
import type { EngineAddress } from '../../../etl/project/settings/settings.ts';
import type { EngineStatement, StatementRequest } from './engine-statement.ts';
import { MOST_SECONDS, type QueryLimits, queryLimitError, withinResult } from './query-limits.ts';
import type { QueryProcess } from './query-process.ts';
import type { ResultRows } from './result/result-rows.ts';
import { withTextFile } from './result/text-file.ts';
import { isoTime } from './result/value-json.ts';
import { type Write, writeRows } from './result/write-result.ts';
import { NO_PARAMETERS, Warehouse, type WriteOptions } from './warehouse.ts';

interface EngineWarehouseOptions {
  readonly engine: EngineAddress;
  readonly limits: QueryLimits;
  readonly threads: number;
  /** The folder for data that DuckDB spills while it writes a Parquet file. */
  readonly spill: string;
}

/**
 * A published warehouse whose file does not contain the rows. DuckDB checks each statement on the catalog, and names
 * and types its columns. If the catalog contains all rows, DuckDB also runs the statement.
 */
export class EngineWarehouse extends Warehouse {
  readonly #catalog: QueryProcess;
  readonly #statements: Statements;
  readonly #options: EngineWarehouseOptions;

  constructor(catalog: QueryProcess, statements: Statements, options: EngineWarehouseOptions) {
    super();
    this.#catalog = catalog;
    this.#statements = statements;
    this.#options = options;
  }

  async write(
    sql: string,
    options: WriteOptions,
    write: Write,
    signal: AbortSignal,
    parameters = NO_PARAMETERS,
  ): Promise<number> {
    const { limits } = this.#options;
    const { page } = options;
    const statement = await this.#plan({ sql, parameters, page }, signal);
    if (statement === null) return this.#catalog.write(sql, options, write, signal, parameters);
    const most = Number.POSITIVE_INFINITY;
    const rowLimit = Math.min(options.rowLimit ?? most, limits.rows);
    const firstRows = Math.min(options.firstRows ?? most, page?.limit ?? most);
    const text = { ...options, rowLimit, firstRows };
    return this.#within(signal, (within) =>
      writeRows(this.#rows(statement, within), text, withinResult(limits, write)),
    );
  }

  async writeParquet(
    sql: string,
    output: string,
    signal: AbortSignal,
    parameters = NO_PARAMETERS,
  ): Promise<number> {
    const { limits } = this.#options;
    const statement = await this.#plan({ sql, parameters }, signal);
    if (statement === null) return this.#catalog.writeParquet(sql, output, signal, parameters);
    const rows = `${output}.rows`;
    try {
      // Numbered, because column names may have a meaning in a JSON object or in DuckDB.
      const names = statement.columns.map((_, place) => `c${place}`);
      const count = await this.#within(signal, (within) =>
        withTextFile(rows, (write) =>
          writeRows(
            { ...this.#rows(statement, within), names },
            { format: 'jsonl', rowLimit: limits.rows },
            withinResult(limits, write),
          ),
        ),
      );
      await this.#toParquet(statement, rows, output, signal);
      return count;
    } finally {
      await rm(rows, { force: true });
    }
  }

  /** Plans a statement in the catalog's process, which receives no secrets of the engine. */
  #plan(asked: Omit<StatementRequest, 'engine'>, signal: AbortSignal): Promise<EngineStatement | null> {
    const { engine, schemaPrefix } = this.#options.engine;
    return this.#catalog.plan({ ...asked, engine: { engine, schemaPrefix } }, signal);
  }

  #rows({ sql, columns, skip, picked }: EngineStatement, signal: AbortSignal): ResultRows {
    const types = columns.map(({ type }) => type);
    const decoders = types.map(fromEngine);
    const statements = this.#statements;
    const seconds = Math.min(this.#options.limits.seconds, MOST_SECONDS);
    const decoded = (row: readonly EngineValue[]): unknown[] =>
      decoders.map((decode, index) => decode(row[picked?.[index] ?? index] ?? null));
    return {
      names: columns.map(({ name }) => name),
      types,
      async *chunks() {
        let before = skip;
        for await (const rows of statements.rows(sql, seconds, signal)) {
          const wanted = rows.slice(before);
          before = Math.max(0, before - rows.length);
          if (wanted.length > 0) yield wanted.map(decoded);
        }
      },
    };
  }

  async #toParquet(
    { columns }: EngineStatement,
    rows: string,
    output: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { limits, threads, spill } = this.#options;
    await using database = await Database.open({ memoryLimit: limits.memory, threads, tempDirectory: spill });
    await using connection = await database.connect();
    const types = columns.map(({ type }, place) => `${text(`c${place}`)}: ${text(type)}`);
    const named = columns.map(({ name }, place) => `${ident(`c${place}`)} AS ${ident(name)}`);
    await connection.run(
      `COPY (SELECT ${named.join(', ')} FROM read_json(${file(rows)}, format = 'newline_delimited', columns = {${types.join(', ')}}))
       TO ${text(output)} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`,
      [],
      signal,
    );
  }

  /** @throws CrawlhouseError `query_limit` after the time limit of a query */
  async #within<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const seconds = Math.min(this.#options.limits.seconds, MOST_SECONDS);
    const late = queryLimitError(`it took longer than ${durationText(seconds)}`, 'query_timeout');
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(late), seconds * 1000);
    try {
      return await work(AbortSignal.any([signal, limit.signal]));
    } catch (error) {
      if (!(error instanceof CrawlhouseError) || !(error.cause instanceof EngineFailure)) throw error;
      if (error.cause.isTimeLimit) throw late;
      if (error.code !== 'bad_query') throw error;
      throw new CrawlhouseError('bad_query', error.message, {
        cause: error.cause,
        hint: `DuckDB accepts this statement, but ${engineKind(this.#options.engine).title}, which stores the rows, does not`,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#statements[Symbol.asyncDispose]();
    await this.#catalog[Symbol.asyncDispose]();
  }
}

/** Returns the function that converts an engine's values as `valueToJson` converts DuckDB's, for a DuckDB type name. */
export function fromEngine(type: string): (value: EngineValue) => unknown {
  const present = ofType(type);
  return (value) => (value === null ? null : present(value));
}

function ofType(type: string): (value: Exclude<EngineValue, null>) => unknown {
  if (type.endsWith('[]')) {
    const item = fromEngine(type.slice(0, -2));
    return (value) => (value as readonly EngineValue[]).map(item);
  }
  if (type === 'JSON') return (value) => parseJson(String(value));
  if (type === 'DOUBLE' || type === 'FLOAT')
    return (value) => (Number.isFinite(Number(value)) ? Number(value) : null);
  if (type.startsWith('DECIMAL')) return (value) => JSON.rawJSON(String(value));
  if (type.startsWith('TIMESTAMP')) return (value) => isoTime(microsOf(String(value)));
  return (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value);
}

/** Microseconds since 1970 of a time in UTC, with up to six decimals. */
function microsOf(text: string): bigint {
  const [, whole = text, fraction = ''] = /^(.*?)(?:\.(\d+))?Z?$/.exec(text) ?? [];
  return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}
