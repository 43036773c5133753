import type { Connection } from './duckdb.ts';

/**
 * Runs `work` with three quarters of DuckDB's memory limit, for what takes more than the limit counts. Nothing else may
 * run in the database meanwhile.
 */
export async function withLowerMemory<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  const limit = String(await connection.scalar("SELECT current_setting('memory_limit')"));
  const [, amount = '', unit = ''] = /^([\d.]+) (\w+)$/.exec(limit) ?? [];
  if (unit === '') return work();
  await connection.run(`SET memory_limit = '${Number(amount) * 0.75} ${unit}'`);
  try {
    return await work();
  } finally {
    await connection.run(`SET memory_limit = '${limit}'`);
  }
}
