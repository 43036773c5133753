import { appendFileSync } from 'node:fs';

/** Names the file of the ledger. */
export const LEDGER_VARIABLE = 'CRAWLHOUSE_STATEMENTS';
/** Methods that give statements to DuckDB. One may call another. */
const METHODS = ['run', 'runAndReadAll', 'stream', 'prepare', 'extractStatements'];
/** Maximum number of characters of a statement. */
const LENGTH = 160;

type Method = (this: object, sql: unknown, ...more: unknown[]) => Promise<unknown>;

/**
 * Appends a line of JSON to a file for each statement of this thread: when it started (`at`, milliseconds since the
 * start of the process), how long it took (`ms`), the processor time of the process meanwhile (`cpu_ms`), its caller,
 * and the start of its text, which may contain values.
 */
export async function keepStatements(file: string): Promise<void> {
  const { DuckDBConnection } = await import('@duckdb/node-api');
  const running = new WeakSet<object>();
  for (const method of METHODS) {
    const own: Method = Reflect.get(DuckDBConnection.prototype, method);
    const measured: Method = async function (sql, ...more) {
      if (running.has(this)) return own.call(this, sql, ...more);
      running.add(this);
      const caller = callerOf(new Error().stack ?? '');
      const [at, cpu] = [performance.now(), process.cpuUsage()];
      try {
        return await own.call(this, sql, ...more);
      } finally {
        running.delete(this);
        const { user, system } = process.cpuUsage(cpu);
        const text = String(sql).replaceAll(/\s+/g, ' ').trim().slice(0, LENGTH);
        const [ms, cpu_ms] = [performance.now() - at, (user + system) / 1000].map((time) =>
          Number(time.toFixed(1)),
        );
        appendFileSync(file, `${JSON.stringify({ at: Math.round(at), ms, cpu_ms, caller, sql: text })}\n`);
      }
    };
    Reflect.set(DuckDBConnection.prototype, method, measured);
  }
}

/** Returns the first function outside this folder, with its file and line. */
function callerOf(stack: string): string {
  const frames = stack.split('\n').slice(1);
  const frame = frames.find((line) => !/\/core\/duckdb\/|node_modules|node:/.test(line)) ?? '';
  return frame
    .trim()
    .replace(/^at (?:async )?/, '')
    .replace(/file:\/\/.*?\/(?=(?:src|dist)\/)/, '');
}
