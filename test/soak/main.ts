import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { testSeed } from '../support/random.ts';
import { PROGRAM } from './process.ts';
import { describeSoak } from './report.ts';
import { soak } from './soak.ts';

/*
 * `npm run soak -- --hours 1`: the schedule, two workers and the console at work for hours, while faults come and people
 * read; then whether memory, handles and temporary files stay level (docs/how-we-test.md).
 */

const { values } = parseArgs({
  options: {
    hours: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    /** The local ledger and no workers, also where PostgreSQL is there. */
    local: { type: 'boolean', default: false },
    /** Keeps the folder with the logs, also where nothing failed. */
    keep: { type: 'boolean', default: false },
  },
});

const minutes = Number(values.minutes ?? Number(values.hours ?? 1) * 60);
const seed = values.seed === undefined ? testSeed() : Number(values.seed);
if (!(minutes > 0) || !Number.isInteger(seed))
  throw new Error('--hours and --minutes are numbers above 0, --seed is a whole one');
if (!existsSync(PROGRAM)) throw new Error('dist/ is missing: npm run build');

console.info(`${new Date().toISOString()}: ${minutes} minutes, seed ${seed}`);
const report = await soak({
  minutes,
  seed,
  isShared: !values.local,
  keeps: values.keep,
  say: (line) => console.info(line),
});
console.info(describeSoak(report));
if (report.failures.length > 0) process.exitCode = 1;
