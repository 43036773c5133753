// Loaded before the program (`--import`): writes the stack of our functions under each statement that is given to DuckDB
// to the file RECORDED_STACKS, as JSON lines.
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const OURS = /\/(?:dist|src)\//;
const file = process.env.RECORDED_STACKS;
const program = process.argv[1];

if (file && program) {
  Error.stackTraceLimit = 300;
  const { DuckDBConnection } = createRequire(program)('@duckdb/node-api');
  for (const method of ['run', 'runAndReadAll']) {
    const original = DuckDBConnection.prototype[method];
    DuckDBConnection.prototype[method] = function (...parameters) {
      const stack = new Error('here').stack
        .split('\n')
        .filter((line) => OURS.test(line) && !line.includes('node_modules'));
      appendFileSync(file, `${JSON.stringify({ sql: parameters[0], stack })}\n`);
      return original.apply(this, parameters);
    };
  }
}
