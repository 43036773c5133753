import { type Connection, text } from './duckdb.ts';

/** Runs a step again with the full limit if the lower one is too small. The step must leave nothing half done. */
export type Attempt = <T>(step: () => Promise<T>) => Promise<T>;

/**
 * Lowers DuckDB's memory limit until the end of the scope. Use it where DuckDB would otherwise exceed its limit or keep
 * unneeded data. Nothing else may run in the database meanwhile.
 */
export class LowerMemory implements AsyncDisposable {
  readonly #connection: Connection;
  /** Null if the limit is not an amount; it is then unchanged. */
  readonly #limit: string | null;

  private constructor(connection: Connection, share: number) {
    const [, amount = '', unit = ''] = /^([\d.]+)\s*(\w+)$/.exec(connection.memoryLimit) ?? [];
    this.#connection = connection;
    this.#limit = unit === '' ? null : `${Number(amount) * share} ${unit}`;
  }

  static async begin(connection: Connection, share: number): Promise<LowerMemory> {
    const memory = new LowerMemory(connection, share);
    await memory.lower();
    return memory;
  }

  /** Also makes DuckDB purge the memory of its threads, like every change of the limit. */
  async lower(): Promise<void> {
    if (this.#limit === null) return;
    try {
      await this.#connection.run(`SET memory_limit = '${this.#limit}'`);
    } catch (error) {
      if (!ranOutOfMemory(error)) throw error;
    }
  }

  async raise(): Promise<void> {
    if (this.#limit === null) return;
    await this.#connection.run(`SET memory_limit = '${this.#connection.memoryLimit}'`);
  }

  /** Returns whether a step failed because of the lower limit, so that a retry with the full one may succeed. */
  isTooLow(error: unknown): boolean {
    return this.#limit !== null && ranOutOfMemory(error);
  }

  readonly attempt: Attempt = async (step) => {
    try {
      return await step();
    } catch (error) {
      if (!this.isTooLow(error)) throw error;
    }
    await this.raise();
    try {
      return await step();
    } finally {
      await this.lower();
    }
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.raise();
  }
}

/** Runs `work` within `LowerMemory`. Steps that may need more memory use `attempt`. */
export async function inLowerMemory<T>(
  connection: Connection,
  share: number,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  await using memory = await LowerMemory.begin(connection, share);
  return await work(memory.attempt);
}

/** Makes DuckDB return freed memory: each thread keeps some of it, which no limit counts. */
export async function releaseMemory(connection: Connection): Promise<void> {
  const limit = await connection.scalar("SELECT current_setting('memory_limit')");
  await connection.run(`SET memory_limit = ${text(String(limit))}`);
}

/** Lowers the memory for one step, such as a transaction. */
export function withLowerMemory<T>(
  connection: Connection,
  share: number,
  work: () => Promise<T>,
): Promise<T> {
  return inLowerMemory(connection, share, (attempt) => attempt(work));
}

/** DuckDB's messages about its limit: at the limit, while it is lowered and, as another kind, in a COMMIT. */
const OUT_OF_MEMORY =
  /^Out of Memory Error|^TransactionContext Error: Failed to commit: (could not|failed to) (allocate|pin|offload)/;

/** Returns whether an error, or its cause, is DuckDB's error about its memory limit. */
export function ranOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isDone = error.message.includes('COMMIT succeeded');
  return (OUT_OF_MEMORY.test(error.message) && !isDone) || ranOutOfMemory(error.cause);
}

/**
 * Runs `work` on one thread of DuckDB, for work that needs much memory per thread. Nothing else may run in the database
 * meanwhile.
 */
export async function withOneThread<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  const threads = Number(await connection.scalar("SELECT current_setting('threads')"));
  await connection.run('SET threads = 1');
  try {
    return await work();
  } finally {
    await connection.run(`SET threads = ${threads}`);
  }
}
