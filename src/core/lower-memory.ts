import type { Connection } from './duckdb.ts';

/**
 * Runs `work` with a share of DuckDB's memory limit, for what takes more than the limit counts. Nothing else may run in
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
  await connection.run(`SET memory_limit = '${Number(amount) * share} ${unit}'`);
  try {
    return await work();
  } finally {
    await connection.run(`SET memory_limit = '${memoryLimit}'`);
  }
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
