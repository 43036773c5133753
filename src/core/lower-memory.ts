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
  await connection.run(`SET memory_limit = '${Number(amount) * share} ${unit}'`);
  try {
    return await work();
  } catch (error) {
    if (!ranOutOfMemory(error)) throw error;
  } finally {
    await connection.run(`SET memory_limit = '${memoryLimit}'`);
  }
  return work();
}

/** Whether an error, or what it was made of, is DuckDB's about its limit. */
function ranOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.startsWith('Out of Memory Error') || ranOutOfMemory(error.cause);
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
