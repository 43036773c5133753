import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { bytesOf, bytesText, countText, durationText } from '../core/amounts.ts';
import { CrawlhouseError } from '../core/errors.ts';
import { parseJson, parseJsonAsWritten } from '../core/json.ts';
import type { RowsPage } from './page-of-rows.ts';
import { removeLeftovers } from './private-warehouse.ts';
import { processLimit, type QueryLimits, queryLimitError } from './query-limits.ts';
import type { QueryReply, QueryRequest } from './query-messages.ts';
import type { PagedStatement, ParameterTexts, QueryOptions } from './query-warehouse.ts';
import type { TextOptions, Write } from './write-result.ts';

/** The program beside this file, as a source or as it was built. */
const PROGRAM = join(import.meta.dirname, `query-child${extname(import.meta.filename)}`);
/** DuckDB takes about 1 GB a second for a value that its limit does not count. */
const WATCH_MS = 20;
const NO_PARAMETERS: ParameterTexts = new Map();
const PAGE = 4096;
/** The longest wait of a Node.js timer, 24 days. */
const MOST_SECONDS = 2_147_483;

export interface QueryProcessOptions extends Omit<QueryOptions, 'memoryLimit' | 'tempLimit'> {
  readonly limits: QueryLimits;
}

/** Rows as arrays, with the names and types of their columns. */
export interface TypedRows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

function forkProgram(): ChildProcess {
  return fork(PROGRAM, {
    execArgv: [],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/**
 * Runs queries in a separate process, one at a time. The process holds no secret. It is ended if a query exceeds its
 * limits, because DuckDB's memory limit does not count single values, and some functions can't be interrupted. Then the
 * next query gets a new process.
 */
export class QueryProcess implements AsyncDisposable {
  readonly #options: QueryProcessOptions;
  #child: ChildProcess | null = null;
  #isCopy = false;
  /** Whether the process was told what to open. */
  #isOpen = false;

  private constructor(options: QueryProcessOptions, child: ChildProcess | null) {
    this.#options = options;
    this.#child = child;
  }

  /**
   * Starts a process before its options are known: it loads DuckDB while the settings are read. If it is not used, it
   * ends with this program.
   */
  static fork(): ChildProcess {
    const child = forkProgram();
    child.unref();
    child.channel?.unref();
    return child;
  }

  /**
   * @param forked a process from `fork`
   * @throws CrawlhouseError `nothing_published`
   */
  static async start(
    options: QueryProcessOptions,
    forked: ChildProcess | null = null,
  ): Promise<QueryProcess> {
    const started = new QueryProcess(options, forked?.connected ? forked : null);
    await started.#open(new AbortController().signal);
    return started;
  }

  /** Whether the whole warehouse was copied, because the disk does not support hard links. */
  get isCopy(): boolean {
    return this.#isCopy;
  }

  /**
   * Writes the rows of one statement as text.
   *
   * @returns the number of rows
   * @throws CrawlhouseError `bad_query`, `query_limit`; `usage` for parameters
   */
  async write(
    sql: string,
    options: TextOptions & { readonly page?: RowsPage },
    write: Write,
    signal: AbortSignal,
    parameters = NO_PARAMETERS,
  ): Promise<number> {
    const most = bytesOf(this.#options.limits.result);
    const rowLimit = Math.min(options.rowLimit ?? Number.POSITIVE_INFINITY, this.#options.limits.rows);
    let bytes = 0;
    await this.#open(signal);
    return await this.#exchange(
      { kind: 'text', sql, parameters, ...options, rowLimit },
      async (text) => {
        bytes += Buffer.byteLength(text);
        if (bytes > most) throw queryLimitError(`it gave more than ${bytesText(most)}`, 'query_result_limit');
        await write(text);
      },
      signal,
    );
  }

  /** The rows of one statement, or the first of them, as JSON values; for small results. */
  async rows(
    sql: string,
    signal: AbortSignal,
    parameters = NO_PARAMETERS,
    firstRows = Number.POSITIVE_INFINITY,
  ): Promise<Record<string, unknown>[]> {
    let text = '';
    const collect: Write = async (piece) => {
      text += piece;
    };
    await this.write(sql, { format: 'json', firstRows }, collect, signal, parameters);
    return parseJson(text) as Record<string, unknown>[];
  }

  /** Some rows of a statement's answer, with its columns. Numbers keep their digits as raw JSON. */
  async page({ sql, parameters, page }: PagedStatement, signal: AbortSignal): Promise<TypedRows> {
    const lines: string[] = [];
    let rest = '';
    const collect: Write = async (piece) => {
      const parts = (rest + piece).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    };
    const firstRows = page.limit === undefined ? {} : { firstRows: page.limit };
    await this.write(sql, { format: 'typed', ...firstRows, page }, collect, signal, parameters);
    const [names, types, ...rows] = lines.map(parseJsonAsWritten) as unknown[][];
    const columns = (names ?? []).map((name, index) => ({
      name: String(name),
      type: String(types?.[index]),
    }));
    return { columns, rows: rows ?? [] };
  }

  /**
   * Writes the rows of one SELECT as a Parquet file (zstd) to the `output` of the options.
   *
   * @returns the number of rows
   * @throws CrawlhouseError as `write`
   */
  async writeParquet(
    sql: string,
    output: string,
    signal: AbortSignal,
    parameters = NO_PARAMETERS,
  ): Promise<number> {
    const { rows: most } = this.#options.limits;
    await this.#open(signal);
    const request: QueryRequest = { kind: 'parquet', sql, parameters, output };
    const rows = await this.#exchange(request, async () => {}, signal, output);
    if (rows > most) throw queryLimitError(`it gave more than ${countText(most)} rows`, 'query_row_limit');
    return rows;
  }

  async #open(signal: AbortSignal): Promise<void> {
    if (this.#isOpen && this.#child?.connected) return;
    if (this.#isOpen || this.#child === null) this.#child = forkProgram();
    this.#child.ref();
    this.#child.channel?.ref();
    this.#isOpen = true;
    const { limits, ...options } = this.#options;
    const request: QueryRequest = {
      ...options,
      kind: 'open',
      memoryLimit: limits.memory,
      tempLimit: limits.temp,
    };
    try {
      await this.#exchange(request, async () => {}, signal);
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  /** Sends a request, hands on the texts that come, and ends the process where a limit is met or `signal` aborts. */
  async #exchange(request: QueryRequest, take: Write, signal: AbortSignal, output?: string): Promise<number> {
    signal.throwIfAborted();
    const child = this.#child;
    if (child === null) throw new Error('no process runs');
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    let isIdle = false;
    const answered = (reply: QueryReply): void => {
      if (reply.kind === 'text') {
        take(reply.text).then(() => child.connected && child.send({ kind: 'taken' }), reject);
        return;
      }
      isIdle = reply.kind !== 'error' || reply.code !== 'internal';
      if (reply.kind === 'error') reject(errorOf(reply));
      else if (reply.kind === 'done') resolve(reply.rows);
      else {
        this.#isCopy = reply.isCopy;
        resolve(0);
      }
    };
    const ended = (code: number | null, by: string | null): void => reject(endedError(code, by));
    const aborted = (): void => reject(signal.reason);
    const { limits } = this.#options;
    // A start takes as long as it takes: where no hard link can be made, the warehouse is copied.
    const seconds = request.kind === 'open' ? MOST_SECONDS : Math.min(limits.seconds, MOST_SECONDS);
    const timer = setTimeout(
      () => reject(queryLimitError(`it ran longer than ${durationText(seconds)}`, 'query_timeout')),
      seconds * 1000,
    );
    const watch = setInterval(() => {
      const excess = excessOf(child, limits, output);
      if (excess) reject(excess);
    }, WATCH_MS);
    child.on('message', answered).on('exit', ended).on('error', reject);
    signal.addEventListener('abort', aborted, { once: true });
    try {
      child.send(request);
      return await promise;
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      child.off('message', answered).off('exit', ended).off('error', reject);
      signal.removeEventListener('abort', aborted);
      if (!isIdle) await this.#end();
    }
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
    removeLeftovers(this.#options.warehouse, this.#options.stateDir);
  }

  /** Ends the process, and removes its files. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }
}

function errorOf({ code, message, hint }: QueryReply & { readonly kind: 'error' }): CrawlhouseError {
  return new CrawlhouseError(code, message, hint === undefined ? {} : { hint });
}

/**
 * The limit that a running query has exceeded, if any. If the system gives no data about processes, memory is not
 * watched.
 */
function excessOf(
  { pid }: ChildProcess,
  limits: QueryLimits,
  output: string | undefined,
): CrawlhouseError | undefined {
  const most = bytesOf(limits.result);
  if (output !== undefined && (statSync(output, { throwIfNoEntry: false })?.size ?? 0) > most)
    return queryLimitError(`it wrote more than ${bytesText(most)}`, 'query_result_limit');
  const memory = processLimit(limits);
  if (residentBytes(pid) <= memory) return undefined;
  return queryLimitError(`its process took more than ${bytesText(memory)} of memory`, 'query_memory_limit');
}

function residentBytes(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE;
  } catch {
    return 0;
  }
}

/**
 * The error for a process that ended by itself. The system kills a process with SIGKILL if the machine has no memory
 * left.
 */
function endedError(code: number | null, by: string | null): CrawlhouseError {
  if (by === 'SIGKILL')
    return queryLimitError('the system ended its process, as it does without memory', 'query_memory_limit');
  return new CrawlhouseError('internal', `the process of the query ended with ${by ?? code}`, {
    hint: 'change the query; the warehouse is unchanged',
  });
}
