import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the program (`--import`): counts the statements that its main thread gives to DuckDB, and the time in
 * which at least one of them ran. Both go to the file STATEMENT_TIMES when the program ends.
 */
const file = process.env.STATEMENT_TIMES;
if (isMainThread && file !== undefined) {
  // That of the program, which may be another build.
  const { DuckDBConnection } = createRequire(process.argv[1])('@duckdb/node-api');
  let [statements, running, since, busy] = [0, 0, 0, 0];
  for (const method of ['run', 'runAndReadAll', 'stream', 'prepare', 'extractStatements']) {
    const own = DuckDBConnection.prototype[method];
    DuckDBConnection.prototype[method] = async function (...given) {
      // One method calls another.
      if (this.isMeasured) return own.apply(this, given);
      this.isMeasured = true;
      statements++;
      if (running++ === 0) since = performance.now();
      try {
        return await own.apply(this, given);
      } finally {
        this.isMeasured = false;
        if (--running === 0) busy += performance.now() - since;
      }
    };
  }
  process.on('exit', () => writeFileSync(file, JSON.stringify({ statements, seconds: busy / 1000 })));
}
