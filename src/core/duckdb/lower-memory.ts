import { type Connection, text } from './duckdb.ts';

/**
 * Runs a step again with the full limit if the lower one is too little. The step leaves nothing half done. A large one
 * begins with all freed memory given back: each thread keeps some of it, which no limit counts.
 */
export type Attempt = <T>(step: () => Promise<T>, size?: 'large') => Promise<T>;

/**
 * Runs `work` with a lower memory limit, because DuckDB exceeds the limit or keeps useless data. The steps that may need
 * more go through `attempt`. Nothing else may run in the database meanwhile.
 */
export async function inLowerMemory<T>(
  connection: Connection,
  share: number,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { memoryLimit } = connection;
  const [, amount = '', unit = ''] = /^([\d.]+)\s*(\w+)$/.exec(memoryLimit) ?? [];
  if (unit === '') return work((step) => step());
  const raise = (): Promise<unknown> => connection.run(`SET memory_limit = '${memoryLimit}'`);
  const lower = async (): Promise<void> => {
    try {
      await connection.run(`SET memory_limit = '${Number(amount) * share} ${unit}'`);
    } catch (error) {
      if (!ranOutOfMemory(error)) throw error;
    }
  };
  const attempt: Attempt = async (step, size) => {
    // Setting the limit, to whatever it is, makes DuckDB purge what its threads keep.
    if (size === 'large') await lower();
    try {
      return await step();
    } catch (error) {
      if (!ranOutOfMemory(error)) throw error;
    }
    await raise();
    try {
      return await step();
    } finally {
      await lower();
    }
  };
  try {
    await lower();
    return await work(attempt);
  } finally {
    await raise();
  }
}

/** Makes DuckDB give freed memory back: each thread keeps some of it, which no limit counts. */
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

/** DuckDB's words for its limit: where it was met, while it was lowered, and, under another kind, in a COMMIT. */
const OUT_OF_MEMORY =
  /^Out of Memory Error|^TransactionContext Error: Failed to commit: (could not|failed to) (allocate|pin|offload)/;

/** Whether an error, or its cause, is DuckDB's error about its memory limit. */
export function ranOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isDone = error.message.includes('COMMIT succeeded');
  return (OUT_OF_MEMORY.test(error.message) && !isDone) || ranOutOfMemory(error.cause);
}

/**
 * Runs `work` on one thread of DuckDB, for what each thread takes a great deal of memory for. Nothing else may run in
 * the database meanwhile.
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
