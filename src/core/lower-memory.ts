import type { Connection } from './duckdb.ts';

/**
 * Runs `work` with a lower memory limit, because DuckDB exceeds the limit or keeps useless data. If that is too little,
 * it retries once with the full limit. `work` must leave nothing half done, like a transaction. Nothing else may run in
 * the database meanwhile.
 */
export async function withLowerMemory<T>(
  connection: Connection,
  share: number,
  work: () => Promise<T>,
): Promise<T> {
  const { memoryLimit } = connection;
  const [, amount = '', unit = ''] = /^([\d.]+)\s*(\w+)$/.exec(memoryLimit) ?? [];
  if (unit === '') return work();
  try {
    await connection.run(`SET memory_limit = '${Number(amount) * share} ${unit}'`);
    return await work();
  } catch (error) {
    if (!ranOutOfMemory(error)) throw error;
  } finally {
    await connection.run(`SET memory_limit = '${memoryLimit}'`);
  }
  return work();
}

/** DuckDB's words for its limit: where it was met, while it was lowered, and, under another kind, in a COMMIT. */
const OUT_OF_MEMORY =
  /^Out of Memory Error|^TransactionContext Error: Failed to commit: (could not|failed to) (allocate|pin|offload)/;

/** Whether an error, or its cause, is DuckDB's error about its memory limit. */
function ranOutOfMemory(error: unknown): boolean {
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
