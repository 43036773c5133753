import { type ChildProcess, fork } from 'node:child_process';
import { addAbortListener, once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { extname, join } from 'node:path';
import type { ErrorCode } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { bytesOf, bytesText, countText, durationText } from '../../../core/text/amounts.ts';
import type { EngineStatement, StatementRequest } from './engine-statement.ts';
import type { ParameterTexts } from './parameters.ts';
import { removeLeftovers } from './private-warehouse.ts';
import {
  MOST_SECONDS,
  processLimit,
  type QueryLimits,
  queryLimitError,
  withinResult,
} from './query-limits.ts';
import type { QueryOptions } from './query-warehouse.ts';
import type { RowsPage } from './result/page-of-rows.ts';
import type { TextOptions, Write } from './result/write-result.ts';
import { NO_PARAMETERS, Warehouse, type WriteOptions } from './warehouse.ts';

export type QueryRequest =
  | ({ readonly kind: 'open' } & QueryOptions)
  | ({
      readonly kind: 'text';
      readonly sql: string;
      readonly parameters: ParameterTexts;
      readonly page?: RowsPage;
    } & TextOptions)
  | {
      readonly kind: 'parquet';
      readonly sql: string;
      readonly parameters: ParameterTexts;
      readonly output: string;
    }
  | ({ readonly kind: 'plan' } & StatementRequest)
  /** The last text is written; the child may send the next one. */
  | { readonly kind: 'taken' };

/** The answers of the child: texts, then one of the other kinds. */
export type QueryReply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'opened'; readonly isCopy: boolean }
  | { readonly kind: 'done'; readonly rows: number }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string | null;
    };

/** The program next to this file, as source or built. */
const PROGRAM = join(import.meta.dirname, `query-child${extname(import.meta.filename)}`);
/** DuckDB takes about 1 GB a second for a value that its limit does not count. */
const WATCH_MS = 20;
const PAGE = 4096;

export interface QueryProcessOptions extends Omit<QueryOptions, 'memoryLimit' | 'tempLimit'> {
  readonly limits: QueryLimits;
}

function forkProgram(): ChildProcess {
  const cache = getCompileCacheDir();
  return fork(PROGRAM, {
    execArgv: [],
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/**
 * Runs queries in a separate process, one at a time. The process contains no secrets. If a query exceeds its limits,
 * the process is killed, because DuckDB's memory limit does not count single values, and some functions cannot be
 * interrupted. The next query then starts a new process.
 */
export class QueryProcess extends Warehouse {
  readonly #options: QueryProcessOptions;
  #child: ChildProcess | null = null;
  #isCopy = false;
  #isOpen = false;

  private constructor(options: QueryProcessOptions, child: ChildProcess | null) {
    super();
    this.#options = options;
    this.#child = child;
  }

  /**
   * Starts a process before its options are known, so that it loads DuckDB while the settings are read. An unused
   * process ends with this program.
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

  async write(
    sql: string,
    options: WriteOptions,
    write: Write,
    signal: AbortSignal,
    parameters = NO_PARAMETERS,
  ): Promise<number> {
    const { limits } = this.#options;
    const rowLimit = Math.min(options.rowLimit ?? Number.POSITIVE_INFINITY, limits.rows);
    await this.#open(signal);
    return await this.#exchange(
      { kind: 'text', sql, parameters, ...options, rowLimit },
      withinResult(limits, write),
      signal,
    );
  }

  /**
   * Returns the engine's statement if this file is a catalog; null if the file contains all rows that the statement
   * reads.
   *
   * @throws CrawlhouseError as `write`
   */
  async plan(asked: StatementRequest, signal: AbortSignal): Promise<EngineStatement | null> {
    let plan = '';
    await this.#open(signal);
    const collect: Write = async (text) => {
      plan += text;
    };
    await this.#exchange({ kind: 'plan', ...asked }, collect, signal);
    return JSON.parse(plan) as EngineStatement | null;
  }

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
    if (rows > most)
      throw queryLimitError(`it returned more than ${countText(most)} rows`, 'query_row_limit');
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

  /** Sends a request, passes on the texts it receives, and ends the process at a limit or when `signal` aborts. */
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
      isIdle = reply.kind !== 'error' || !['internal', 'memory'].includes(reply.code);
      if (reply.kind === 'error') reject(errorOf(reply));
      else if (reply.kind === 'done') resolve(reply.rows);
      else {
        this.#isCopy = reply.isCopy;
        resolve(0);
      }
    };
    const ended = (code: number | null, by: string | null): void => reject(endedError(code, by));
    const { limits } = this.#options;
    // Opening has no time limit: it may have to copy the warehouse.
    const seconds = request.kind === 'open' ? MOST_SECONDS : Math.min(limits.seconds, MOST_SECONDS);
    const timer = setTimeout(
      () => reject(queryLimitError(`it took longer than ${durationText(seconds)}`, 'query_timeout')),
      seconds * 1000,
    );
    const watch = setInterval(() => {
      const excess = excessOf(child, limits, output);
      if (excess) reject(excess);
    }, WATCH_MS);
    child.on('message', answered).on('exit', ended).on('error', reject);
    using _aborted = addAbortListener(signal, () => reject(signal.reason));
    try {
      child.send(request);
      return await promise;
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      child.off('message', answered).off('exit', ended).off('error', reject);
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }
}

function errorOf({ code, message, hint }: QueryReply & { readonly kind: 'error' }): CrawlhouseError {
  return new CrawlhouseError(code, message, { hint });
}

/**
 * Returns the limit that a running query exceeds, if any. Memory is not watched on systems without data about
 * processes.
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
  return queryLimitError(`its process used more than ${bytesText(memory)} of memory`, 'query_memory_limit');
}

function residentBytes(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE;
  } catch {
    // The process has ended, or the system has no `/proc`.
    return 0;
  }
}

/**
 * Returns the error for a process that ended by itself. The system kills a process with SIGKILL if the machine runs out
 * of memory.
 */
function endedError(code: number | null, by: string | null): CrawlhouseError {
  if (by === 'SIGKILL')
    return queryLimitError(
      'the system killed its process, probably for lack of memory',
      'query_memory_limit',
    );
  return new CrawlhouseError('internal', `the process of the query ended with ${by ?? code}`, {
    hint: 'change the query; the warehouse is unchanged',
  });
}
