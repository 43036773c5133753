import type { Connection } from './duckdb.ts';

/**
 * Runs `work` with a share of DuckDB's memory limit, for what takes more than the limit counts, or holds on to what is
 * of no more use. What does not go into that share is done again with all of it: `work` leaves nothing half done, as a
 * transaction does. Nothing else may run in the database meanwhile.
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

/** Whether an error, or what it was made of, is DuckDB's about its limit, and what it was about is not done. */
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
